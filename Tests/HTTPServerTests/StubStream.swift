import Dispatch
import HTTP
import Testing
import System

/// A stream that sends what the test gives it, and notes how it is used.
///
/// Without anything to send it waits, and ends with `bye` when the server stops.
final class StubStream: BodyStream {
    /// One call of `next`.
    struct Step {
        let bytes: [UInt8]
        let progress: BodyProgress

        init(_ text: String, _ progress: BodyProgress) {
            bytes = Array(text.utf8)
            self.progress = progress
        }

        init(_ bytes: [UInt8], _ progress: BodyProgress) {
            self.bytes = bytes
            self.progress = progress
        }
    }

    private struct State {
        var steps: [Step]
        var nextCount = 0
        var uses: [String] = []
        var end: BodyStreamEnd?
        var wake: (@Sendable () -> Void)?
    }

    private let state: Mutex<State>
    private let repeated: Step?
    private let wakesEarly: Bool
    private let endsWhenStopping: Bool
    private let calls = DispatchSemaphore(value: 0)
    private let closing = DispatchSemaphore(value: 0)

    /// A stream of these steps.
    ///
    /// - Parameters:
    ///   - steps: What it does first.
    ///   - repeated: What it does from then on, rather than wait.
    ///   - wakesEarly: Whether it wakes itself before each return of `open` and `next`.
    ///   - endsWhenStopping: Whether it ends when the server stops.
    init(
        _ steps: Step...,
        repeating repeated: Step? = nil,
        wakesEarly: Bool = false,
        endsWhenStopping: Bool = true
    ) {
        state = Mutex(State(steps: steps))
        self.repeated = repeated
        self.wakesEarly = wakesEarly
        self.endsWhenStopping = endsWhenStopping
    }

    /// How often `next` was called.
    var nextCount: Int { state.withLock { $0.nextCount } }
    /// The calls of `open` and `close`, and the report of the end, in their order.
    var uses: [String] { state.withLock { $0.uses } }
    /// What was reported of its end.
    var end: BodyStreamEnd? { state.withLock { $0.end } }

    func open(wake: @escaping @Sendable () -> Void) {
        state.withLock { state in
            state.uses.append("open")
            state.wake = wake
        }
        if wakesEarly { wake() }
    }

    func next(into output: inout [UInt8], isStopping: Bool) -> BodyProgress {
        #expect(output.isEmpty)
        let step = state.withLock { state in
            state.nextCount += 1
            if isStopping, endsWhenStopping { return Step("bye", .end) }
            if !state.steps.isEmpty { return state.steps.removeFirst() }
            return repeated ?? Step("", .wait(milliseconds: 600_000))
        }
        if wakesEarly { wake() }
        output += step.bytes
        calls.signal()
        return step.progress
    }

    func close() {
        state.withLock { $0.uses.append("close") }
        closing.signal()
    }

    /// Has its end reported to it by the response that sends it.
    func observe(_ response: inout Response) {
        response.streamDidEnd = { end in
            self.state.withLock { state in
                state.uses.append("end")
                state.end = end
            }
        }
    }

    /// Lets it go on with a step, once it is woken.
    func add(_ step: Step) {
        state.withLock { $0.steps.append(step) }
    }

    /// Wakes it.
    func wake() {
        let wake = state.withLock { $0.wake }
        wake?()
    }

    /// Blocks until `next` has been called once more.
    func awaitCall() -> Bool {
        calls.wait(timeout: .now() + .seconds(120)) == .success
    }

    /// Blocks until it is closed.
    func awaitClose() -> Bool {
        closing.wait(timeout: .now() + .seconds(120)) == .success
    }
}
