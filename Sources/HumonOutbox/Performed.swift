import Foundation
import HumonClient

extension HumonClient {
    /// Returns the id of an entry's record if the server has performed the entry already, and else
    /// nil.
    ///
    /// It compares what the entry would do with what the server has, for entries whose key the
    /// server may have forgotten.
    func performed(_ entry: Entry, id: Int64?, token: String?) async throws(HumonError) -> Int64? {
        switch entry.kind {
        // Sending them twice is the same as once.
        case .attend, .cancel: return nil
        case .delete, .update:
            guard let id else { return nil }
            do throws(HumonError) {
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
            guard let body = entry.content, let start = body["started_at"]?.text else { return nil }
            // The earliest come first, which are those that begin at this time.
            let call = Call.get("events", needsToken: true).parameter("owner", "me")
                .parameter("from", start).parameter("ongoing", "false").parameter("limit", "100")
            let keys = ["name", "lat", "lon", "started_at"]
            var cursor: String?
            repeat {
                let next = cursor.map { call.parameter("cursor", $0) } ?? call
                let page = try await transport.send(next, token: token).decode(Page.self)
                let same = page.events.first { event in keys.allSatisfy { event[$0] == body[$0] } }
                if let same { return same["id"]?.integer }
                let isLast = page.events.last.map { $0["started_at"] != body["started_at"] }
                cursor = isLast == true ? nil : page.next
            } while cursor != nil
            return nil
        }
    }
}

extension Entry {
    /// The attributes that the entry sends.
    fileprivate var content: [String: JSONValue]? {
        body.flatMap { try? JSONDecoder().decode([String: JSONValue].self, from: $0) }
    }

    /// Whether the event has all attributes as the entry sends them.
    fileprivate func isShown(in event: [String: JSONValue]) -> Bool {
        // Attributes with these values are not in responses.
        let defaults: [String: JSONValue] = [
            "status": .text("scheduled"), "visibility": .text("public"),
            "all_day": .boolean(false), "tags": .array([]),
        ]
        return content?.allSatisfy { key, value in
            (event[key] ?? defaults[key] ?? .null) == value
                || value == .null && (event[key] ?? .null) == .null
        } ?? false
    }
}
