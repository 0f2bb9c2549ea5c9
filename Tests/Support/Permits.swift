import System

/// Lets so many go on at once and has the others wait.
final class Permits: Sendable {
    /// Servers at once: each has three threads and a dozen descriptors.
    static let servers = Permits(8)

    private struct State {
        var free: Int
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state: Mutex<State>

    init(_ count: Int) {
        state = Mutex(State(free: count))
    }

    func acquire() async {
        await withCheckedContinuation { continuation in
            let mayGo = state.withLock { state in
                if state.free == 0 { state.waiting.append(continuation) }
                defer { state.free = max(0, state.free - 1) }
                return state.free > 0
            }
            if mayGo { continuation.resume() }
        }
    }

    func release() {
        let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
            if state.waiting.isEmpty {
                state.free += 1
                return nil
            }
            return state.waiting.removeFirst()
        }
        next?.resume()
    }
}
