import Foundation
import Support
import System

/// An event whose creation was acknowledged.
struct AcknowledgedEvent: Hashable, Sendable {
    let id: Int64
    let name: String
}

extension AcknowledgedEvent {
    /// The event of this name that the answer acknowledges; nil if it does not.
    init?(_ answer: Answer, name: String) {
        guard answer.status == 200, answer.body.hasPrefix(#"{"id":"#),
            let id = Int64(answer.body.dropFirst(6).dropLast())
        else { return nil }
        self.id = id
        self.name = name
    }
}

/// Writers that post events, one after another on a connection each, until the server is gone.
final class WriteLoad: Sendable {
    static let writers = 8

    private struct State {
        var acknowledged: [AcknowledgedEvent] = []
        var refusals: [String] = []
    }

    private let state = Mutex(State())
    private let threshold: Int
    private let reached = DispatchSemaphore(value: 0)
    private let ends = DispatchSemaphore(value: 0)

    /// Starts to write as the user of this token; `label` makes names unique.
    init(port: UInt16, token: String, label: String, threshold: Int) {
        self.threshold = threshold
        for writer in 0..<Self.writers {
            Foundation.Thread.detachNewThread { [self] in
                write(to: port, token: token, label: "\(label)-\(writer)")
                // Should all writers fail, nobody must wait for more of them.
                reached.signal()
                ends.signal()
            }
        }
    }

    /// Waits until so many events are acknowledged.
    func awaitThreshold() {
        reached.wait()
    }

    /// What has been acknowledged so far.
    var acknowledged: [AcknowledgedEvent] { state.withLock { $0.acknowledged } }

    /// Waits until the server is gone, and returns what it acknowledged.
    ///
    /// Throws if it answered anything else.
    func finish() throws -> [AcknowledgedEvent] {
        for _ in 0..<Self.writers { ends.wait() }
        let state = state.withLock { $0 }
        guard state.refusals.isEmpty else {
            throw CrashTestError("not acknowledged: \(state.refusals.prefix(3))")
        }
        return state.acknowledged
    }

    private func write(to port: UInt16, token: String, label: String) {
        guard let connection = try? SocketConnection(port: port) else { return }
        for number in 0... {
            let name = "\(label)-\(number)"
            // No answer: the server has ended, and whether this one was stored is not known.
            guard let answer = try? Self.post(name, token: token, on: connection) else { return }
            note(answer, name)
            if answer.fields["connection"] == "close" { return }
        }
    }

    /// The answer to a new event with this name, somewhere.
    static func post(
        _ name: String,
        token: String,
        on connection: SocketConnection
    ) throws -> Answer {
        let latitude = Double.random(in: -90...90)
        let longitude = Double.random(in: -180...180)
        let body = """
            {"name":"\(name)","lat":\(latitude),"lon":\(longitude),\
            "started_at":"2013-09-16T00:00:00.000Z"}
            """
        let head = "POST /v1/events HTTP/1.1\r\nHost: a\r\ntb-device-token: \(token)\r\n"
        try connection.send(Array("\(head)Content-Length: \(body.utf8.count)\r\n\r\n\(body)".utf8))
        return try connection.receive(answerTo: "POST")
    }

    private func note(_ answer: Answer, _ name: String) {
        let count = state.withLock { state in
            if let event = AcknowledgedEvent(answer, name: name) {
                state.acknowledged.append(event)
            } else {
                state.refusals.append("\(answer)")
            }
            return state.acknowledged.count
        }
        if count == threshold { reached.signal() }
    }
}
