import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

// `docs/api/changes.md` contains this code.

/// A copy of a filter's records, and the writes that wait for the network, in one file.
actor OfflineStore {
    typealias Transport = @Sendable (URLRequest) async throws -> (Data, URLResponse)

    enum Problem: Error, Equatable { case tryAgainLater, signedOut, rejected(String) }

    struct Write: Codable {
        /// Such as `event/7`, or `event/` and a UUID while the record has no id.
        var record: String
        let method: String, body: Data?
        var ifMatch: String?, key = UUID(), firstSent: Date?
        /// The record in the response, which is shown until the feed has it.
        var result: Data?
        /// The reason why the server has rejected it. Show it to the person.
        var error: String?
    }

    private struct State: Codable {
        var records: [String: Data] = [:], versions: [String: String] = [:], cursor = "0"
        var outbox: [Write] = []
    }

    private let server: URL, token: String, filter: [String: String]
    private let file: URL, transport: Transport
    private var state = State(), isDraining = false, isRefreshing = false
    private var failures = 0.0, pausedUntil = Date.distantPast

    init(
        _ server: URL, token: String, filter: [String: String], file: URL,
        transport: @escaping Transport = { try await URLSession.shared.data(for: $0) }
    ) throws {
        (self.server, self.token, self.filter) = (server, token, filter)
        (self.file, self.transport) = (file, transport)
        guard FileManager.default.fileExists(atPath: file.path) else { return }
        state = try PropertyListDecoder().decode(State.self, from: Data(contentsOf: file))
    }

    private func update(_ change: (inout State) -> Void) throws {
        var new = state
        change(&new)
        try PropertyListEncoder().encode(new).write(to: file, options: .atomic)
        state = new
    }

    /// The rejected writes.
    var failed: [Write] { state.outbox.filter { $0.error != nil } }

    /// The JSON of all records, as they are after the waiting writes.
    var records: [String: Data] {
        var shown = state.records
        for write in state.outbox where write.error == nil {
            let new = Self.object(write.result ?? write.body)
            let values = Self.object(shown[write.record]).merging(new) { $1 }
            shown[write.record] = write.method == "DELETE" ? nil : Self.json(values)
        }
        return shown
    }

    /// Stores a POST, PATCH or DELETE, and starts to send it.
    func write(_ method: String, _ record: String, _ body: Data? = nil) throws {
        let last = state.outbox.last { $0.record == record }
        let version = last == nil ? state.versions[record] : last?.ifMatch
        let write = Write(record: record, method: method, body: body, ifMatch: version)
        try update { $0.outbox.append(write) }
        Task { try? await drain() }
    }

    /// Forgets the rejected write of a record, and those after it.
    func discard(_ record: String) throws {
        try update { $0.outbox.removeAll { $0.record == record && $0.result == nil } }
    }

    /// Sends the waiting writes, one at a time.
    func drain() async throws {
        guard !isDraining else { return }
        isDraining = true
        defer { isDraining = false }
        while true {
            // A rejected write stops those after it, if they are of the same record.
            let stopped = Set(failed.map(\.record))
            let next = state.outbox.firstIndex { $0.result == nil && !stopped.contains($0.record) }
            guard let next else { return }
            // On disk before the first byte leaves.
            try update { $0.outbox[next].firstSent = $0.outbox[next].firstSent ?? .now }
            let write = state.outbox[next]
            if let sent = write.firstSent, sent.timeIntervalSinceNow > -6 * 86400 {
                try await send(write)
            } else {
                // The server forgets keys after 7 days, and would store the record twice.
                try update { $0.outbox[next].error = "It is not known whether this was stored." }
            }
        }
    }

    private func send(_ write: Write) async throws {
        let parts = write.record.split(separator: "/"), isNew = write.method == "POST"
        let path = "v1/\(parts[0])s" + (isNew ? "" : "/\(parts[1])")
        var request = URLRequest(url: server.appending(path: path))
        request.httpMethod = write.method
        request.httpBody = write.body
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        request.setValue("\"\(write.key)\"", forHTTPHeaderField: "Idempotency-Key")
        request.setValue("return=representation", forHTTPHeaderField: "Prefer")
        request.setValue(write.ifMatch, forHTTPHeaderField: "If-Match")
        let (data, response) = try await load(request)
        let status = response.statusCode, body = Self.object(data)
        let isStored = status < 300 || status == 404 && write.method == "DELETE"
        try update { state in
            for index in state.outbox.indices where state.outbox[index].record == write.record {
                let isThis = state.outbox[index].key == write.key
                if isThis, !isStored { state.outbox[index].error = Self.message(body) }
                guard isStored else { continue }
                if isThis { state.outbox[index].result = data }
                // The next write of the record builds on this one.
                state.outbox[index].ifMatch = response.value(forHTTPHeaderField: "ETag")
                if isNew, let id = body["id"] { state.outbox[index].record = "\(parts[0])/\(id)" }
            }
        }
    }

    /// Fetches what has changed. The server waits up to `wait` seconds for a change.
    func refresh(wait: Int = 0) async throws {
        guard !isRefreshing else { return }
        isRefreshing = true
        defer { isRefreshing = false }
        // The feed has these writes by now.
        let done = Set(state.outbox.filter { $0.result != nil }.map(\.key))
        var new = state, more = true
        while more {
            let page = ["since": new.cursor, "limit": "500", "wait": done.isEmpty ? "\(wait)" : "0"]
            let items = filter.merging(page) { $1 }.map(URLQueryItem.init)
            let url = server.appending(path: "v1/changes").appending(queryItems: items)
            let (data, response) = try await load(URLRequest(url: url))
            let body = Self.object(data)
            if response.statusCode == 410 {
                new = State()
            } else if response.statusCode == 200, let cursor = body["cursor"] as? String {
                Self.apply(body["changes"] as? [[String: Any]] ?? [], to: &new)
                new.cursor = cursor
                more = body["more"] as? Bool == true
            } else {
                throw Problem.rejected(Self.message(body))
            }
        }
        try update { [new] state in
            (state.records, state.versions, state.cursor) = (new.records, new.versions, new.cursor)
            state.outbox.removeAll { done.contains($0.key) }
        }
    }

    private static func apply(_ changes: [[String: Any]], to state: inout State) {
        for change in changes {
            guard let type = change["type"] as? String, let id = change["id"] else { continue }
            let record = "\(type)/\(id)"
            state.records[record] = change[type].flatMap(json)
            state.versions[record] = change["version"].map { "\"\($0)\"" }
            guard change["op"] as? String == "leave", type == "event" else { continue }
            // With an event, the attendances leave that name it.
            state.records = state.records.filter { other, data in
                let event = object(data)["event"] as? [String: Any]
                return !other.hasPrefix("attendance/") || event?["id"].map { "\($0)" } != "\(id)"
            }
        }
    }

    /// Sends a request unless the server needs a pause.
    private func load(_ request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        guard pausedUntil < .now else { throw Problem.tryAgainLater }
        var request = request
        request.setValue(token, forHTTPHeaderField: "tb-auth-token")
        let result = try? await transport(request)
        let response = result?.1 as? HTTPURLResponse, status = response?.statusCode ?? 503
        if status == 401 { throw Problem.signedOut }
        guard let result, let response, status < 500, status != 408, status != 429 else {
            failures += 1
            let least = Double(response?.value(forHTTPHeaderField: "Retry-After") ?? "") ?? 0
            let pause = max(least, .random(in: 0.5...1) * min(60, pow(2, failures)))
            pausedUntil = Date(timeIntervalSinceNow: pause)
            throw Problem.tryAgainLater
        }
        failures = 0
        return (result.0, response)
    }

    private static func object(_ data: Data?) -> [String: Any] {
        data.flatMap { try? JSONSerialization.jsonObject(with: $0) as? [String: Any] } ?? [:]
    }

    private static func json(_ object: Any) -> Data? {
        try? JSONSerialization.data(withJSONObject: object)
    }

    private static func message(_ body: [String: Any]) -> String {
        (body["errors"] as? [String])?.joined(separator: ", ") ?? body["message"] as? String ?? ""
    }
}
