import Crypto
import Foundation

/// Receives the messages of a Humon webhook, and mirrors its events in a file.
actor Receiver {
    /// The fields of a message's head.
    struct Head {
        let id, timestamp, signature: String
    }

    /// What the mirror has of an event.
    struct Event: Codable {
        let id: Int
        let name: String
        let lat, lon: Double
        let started_at: String
    }

    private struct State: Codable {
        var events: [Int: Event] = [:]
        var messages: [String] = []
    }

    private struct Message: Decodable {
        struct Content: Decodable {
            let changes: [Change]?
        }

        let type: String
        let data: Content?
    }

    private struct Change: Decodable {
        let op, type: String
        let id: Int
        let event: Event?
    }

    private let secret: SymmetricKey
    private let file: URL
    private var state = State()

    /// Creates a receiver with the secret, `whsec_` and base64, and the file of the mirror.
    init?(secret: String, file: URL) throws {
        guard let key = Data(base64Encoded: String(secret.dropFirst("whsec_".count))) else {
            return nil
        }
        self.secret = SymmetricKey(data: key)
        self.file = file
        guard FileManager.default.fileExists(atPath: file.path) else { return }
        state = try JSONDecoder().decode(State.self, from: Data(contentsOf: file))
    }

    /// Returns the status of the response to a POST request.
    func receive(_ head: Head, _ body: Data) throws -> Int {
        guard isGenuine(head, body) else { return 401 }
        // Humon repeats only the latest messages.
        guard !state.messages.contains(head.id) else { return 204 }
        var next = state
        next.messages = state.messages.suffix(999) + [head.id]
        Self.apply(try JSONDecoder().decode(Message.self, from: body), to: &next.events)
        try JSONEncoder().encode(next).write(to: file, options: .atomic)
        state = next
        return 204
    }

    /// Returns whether Humon has signed the message in the last five minutes.
    private func isGenuine(_ head: Head, _ body: Data) -> Bool {
        let content = Data("\(head.id).\(head.timestamp).".utf8) + body
        // During a rotation, the header has two signatures.
        let isSigned = head.signature.split(separator: " ").contains { signature in
            guard signature.hasPrefix("v1,"),
                let code = Data(base64Encoded: String(signature.dropFirst(3)))
            else { return false }
            // Takes the same time wherever the codes differ.
            return HMAC<SHA256>.isValidAuthenticationCode(
                code,
                authenticating: content,
                using: secret
            )
        }
        guard isSigned, let time = TimeInterval(head.timestamp) else { return false }
        return abs(Date.now.timeIntervalSince1970 - time) <= 300
    }

    private static func apply(_ message: Message, to events: inout [Int: Event]) {
        if message.type == "reset" { events = [:] }
        guard ["snapshot", "changes"].contains(message.type) else { return }
        for change in message.data?.changes ?? [] where change.type == "event" {
            switch change.op {
            case "leave": events[change.id] = nil
            case "enter", "change": events[change.id] = change.event
            default: break
            }
        }
    }
}
