import Foundation
import HumonClient

extension HumonClient {
    /// Returns the id of the event of an entry that the server has performed already, or else nil.
    ///
    /// The server may have forgotten its key, so it compares what the entry does with what it has.
    func performed(_ entry: Entry, id: Int64, token: String?) async throws(HumonError) -> Int64? {
        switch entry.kind {
        // Sending them twice is the same as once.
        case .attend, .cancel: return nil
        case .delete, .update:
            do {
                let reply = try await transport.send(.get("events/\(id)"), token: token)
                let event = try reply.decode([String: JSONValue].self)
                return entry.kind == .update && entry.isShown(in: event) ? id : nil
            } catch {
                let isDeleted = error.kind == .notFound && error.isHumons
                guard isDeleted, entry.kind == .delete else { throw error }
                return id
            }
        case .create:
            struct Page: Decodable {
                let events: [[String: JSONValue]]
                let next: String?
            }
            let content = Entry.members(of: entry.body)
            let start = content["started_at"]
            let keys = ["name", "lat", "lon", "started_at"]
            // The earliest come first, which are those that begin at this time.
            var query = EventQuery.owner(.me).setting("from", start?.text ?? "").ongoing(false)
                .limit(100)
            while true {
                let call = Call.search("events", query)
                let page = try await transport.send(call, token: token).decode(Page.self)
                let same = page.events.first { event in
                    keys.allSatisfy { event[$0] == content[$0] }
                }
                if let same { return same["id"]?.integer }
                let areAllThen = page.events.allSatisfy { $0["started_at"] == start }
                guard areAllThen, let next = page.next else { return nil }
                query = query.setting("cursor", next)
            }
        }
    }
}

extension Entry {
    /// Returns the entry's request, with the id of its record or of the event that it attends.
    func call(_ id: Int64) -> Call {
        let (method, path) =
            switch kind {
            case .create: ("POST", "events")
            case .update: ("PATCH", "events/\(id)")
            case .delete: ("DELETE", "events/\(id)")
            case .attend: ("POST", "attendances")
            case .cancel: ("DELETE", "attendances/\(id)")
            }
        var call = Call(method, path, .unsafe).header("Idempotency-Key", "\"\(key)\"")
            .header("If-Match", version)
        call.body = kind == .attend ? Data("{\"event\":{\"id\":\(id)}}".utf8) : body
        return call
    }

    /// Returns the members of a JSON object.
    static func members(of json: Data?) -> [String: JSONValue] {
        json.flatMap { try? JSONDecoder().decode([String: JSONValue].self, from: $0) } ?? [:]
    }

    /// Whether the event has all attributes as the entry sends them.
    fileprivate func isShown(in event: [String: JSONValue]) -> Bool {
        // Attributes with these values are not in responses.
        let defaults: [String: JSONValue] = [
            "status": .text("scheduled"), "visibility": .text("public"),
            "all_day": .boolean(false), "tags": .array([]),
        ]
        return Self.members(of: body).allSatisfy { key, value in
            let absent = [nil, .null, defaults[key]]
            return event[key] == value || absent.contains(event[key]) && absent.contains(value)
        }
    }
}
