import Threads

/// A write whose outcome somebody waits for, but not for ever.
///
/// It uses a thread of its own and no `Task.sleep`: the pool of threads behind that ends the whole
/// process when it cannot open a file of `/proc`, as when no descriptors are left.
final class WriteProbe: Sendable {
    private let answer: Mutex<(@Sendable (String?) -> Void)?>
    private let end = Semaphore()

    /// `answer` is called once, with what is wrong or nil, on whatever thread.
    init(answer: @escaping @Sendable (String?) -> Void) {
        self.answer = Mutex(answer)
    }

    private var isPending: Bool { answer.withLock { $0 != nil } }

    /// Tells the outcome, unless one was told already.
    func finish(with problem: String?) {
        let answer = answer.withLock { answer in
            defer { answer = nil }
            return answer
        }
        answer?(problem)
        end.signal()
    }

    /// Has a problem be told if no outcome is told in time.
    func giveUp(afterMilliseconds milliseconds: Int64) {
        do {
            let deadline = ContinuousClock.now + .milliseconds(milliseconds)
            let thread = try Thread { [self] in
                while isPending, ContinuousClock.now < deadline {
                    end.wait(atMostMilliseconds: milliseconds)
                }
                finish(with: "A small change takes longer than \(milliseconds) ms.")
            }
            thread.detach()
        } catch {
            finish(with: "\(error)")
        }
    }
}
