import JSON

/// The blocks of a stream of changes, each of which ends with an empty line.
enum ServerSentEvents {
    /// Returns a block that sets the client's cursor, and raises no event.
    static func position(_ cursor: String) -> [UInt8] { [UInt8]("id: \(cursor)\n\n".utf8) }

    /// Returns an event that names the client's cursor.
    static func cursor(_ name: String, _ cursor: String) -> [UInt8] {
        event(name, id: cursor) { $0.object { $0.field("cursor", cursor) } }
    }

    /// Returns the last event of a stream.
    static func end(_ message: String) -> [UInt8] {
        event("end") { $0.object { $0.field("message", message) } }
    }

    /// Returns an event whose data is one line of JSON.
    static func event(
        _ name: String,
        id: String? = nil,
        _ write: (inout JSONWriter) -> Void
    ) -> [UInt8] {
        let cursor = id.map { "id: \($0)\n" } ?? ""
        let head = [UInt8]("event: \(name)\n\(cursor)data: ".utf8)
        return head + JSONWriter.bytes(write) + [0x0A, 0x0A]
    }
}
