import System

/// A write with a time limit for its outcome.
///
/// It uses its own thread and not `Task.sleep`. The thread pool behind that ends the whole process
/// if it can't open a file in `/proc`, for example when no descriptors are left.
package final class WriteProbe: Sendable {
    private let answer: Mutex<(@Sendable (String?) -> Void)?>
    private let end = Semaphore()

    /// Creates a probe that calls `answer` once, on any thread, with the problem or nil.
    init(answer: @escaping @Sendable (String?) -> Void) {
        self.answer = Mutex(answer)
    }

    private var isPending: Bool { answer.withLock { $0 != nil } }

    /// Reports the outcome, unless one was already reported.
    func finish(with problem: String?) {
        let answer = answer.withLock { answer in
            defer { answer = nil }
            return answer
        }
        answer?(problem)
        end.signal()
    }

    /// Reports a problem if there is no outcome within the time limit.
    func giveUp(afterMilliseconds milliseconds: Int64) {
        do {
            let deadline = ContinuousClock.now + .milliseconds(milliseconds)
            let thread = try POSIXThread { [self] in
                while isPending, ContinuousClock.now < deadline {
                    end.wait(atMostMilliseconds: milliseconds)
                }
                finish(with: "A test write took longer than \(milliseconds) ms.")
            }
            thread.detach()
        } catch {
            finish(with: "\(error)")
        }
    }
}
