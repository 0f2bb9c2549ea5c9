import System

/// A write with a time limit for its outcome.
///
/// It uses its own thread and not `Task.sleep`. The thread pool behind that ends the whole process
/// if it can't open a file in `/proc`, for example when no descriptors are left.
package final class WriteProbe: Sendable {
    // In a struct: a generic type such as Mutex would wrap a function again at each access.
    private struct State {
        var answer: (@Sendable (String?) -> Void)?
    }

    private let state: Mutex<State>
    private let end = Semaphore()

    /// Creates a probe that calls `answer` once, on any thread, with the problem or nil.
    init(answer: @escaping @Sendable (String?) -> Void) {
        state = Mutex(State(answer: answer))
    }

    private var isPending: Bool { state.withLock { $0.answer != nil } }

    /// Reports the outcome, unless one was already reported.
    func finish(with problem: String?) {
        let answer = state.withLock { state in
            defer { state.answer = nil }
            return state.answer
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
