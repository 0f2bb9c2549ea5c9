import Foundation
import Support
import System

/// Clients that ask one thing after another on connections that they keep open, and connect again
/// where the server ends one with an answer.
final class RequestLoad: Sendable {
    private static let clients = 8

    private struct State {
        var isOver = false
        var answers = 0
        /// How many answers are waited for.
        var awaited = Int.max
        var failures: [String] = []
    }

    private let state = Mutex(State())
    private let reached = DispatchSemaphore(value: 0)
    private let ends = DispatchSemaphore(value: 0)

    init(port: UInt16) {
        for _ in 0..<Self.clients {
            Thread.detachNewThread { [self] in
                do {
                    try ask(port)
                } catch {
                    state.withLock { $0.failures.append("\(error)") }
                    // Nobody must wait for answers that don't come.
                    reached.signal()
                }
                ends.signal()
            }
        }
    }

    /// Waits until there are so many answers more, or a client has failed.
    func awaitAnswers(_ count: Int) {
        let hasFailed = state.withLock { state in
            state.awaited = state.answers + count
            return !state.failures.isEmpty
        }
        if !hasFailed { reached.wait() }
    }

    /// Ends the load and returns what went wrong.
    func finish() -> [String] {
        state.withLock { $0.isOver = true }
        for _ in 0..<Self.clients { ends.wait() }
        return state.withLock { $0.failures }
    }

    private func ask(_ port: UInt16) throws {
        var connection = try SocketConnection(port: port)
        while !state.withLock({ $0.isOver }) {
            try connection.send(Array("GET /v1/events/1 HTTP/1.1\r\nHost: a\r\n\r\n".utf8))
            let answer = try connection.receive(answerTo: "GET")
            guard answer.status == 404 else { throw CrashTestError("\(answer)") }
            if answer.fields["connection"] == "close" {
                connection = try SocketConnection(port: port)
            }
            let isReached = state.withLock { state in
                state.answers += 1
                return state.answers == state.awaited
            }
            if isReached { reached.signal() }
        }
    }
}
