import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

// `docs/api/changes.md` contains this code.

/// Sends a user's requests, with pauses when the network or the server is not there.
actor Connection {
    typealias Transport = @Sendable (URLRequest) async throws -> (Data, URLResponse)

    enum Problem: Error, Equatable { case tryAgainLater, signedOut, rejected(String) }

    struct Response {
        let status: Int, data: Data, tag: String?

        var json: [String: Any] { object(data) }
        var message: String {
            let errors = json["errors"] as? [String]
            return errors?.joined(separator: ", ") ?? json["message"] as? String ?? "\(status)"
        }
    }

    private let server: URL, token: String, transport: Transport
    private var failures = 0.0, pausedUntil = Date.distantPast

    init(
        _ server: URL,
        token: String,
        transport: @escaping Transport = { try await URLSession.shared.data(for: $0) }
    ) {
        (self.server, self.token, self.transport) = (server, token, transport)
    }

    func send(
        _ method: String,
        _ path: String,
        query: [String: String] = [:],
        headers: [String: String?] = [:],
        body: Data? = nil
    ) async throws -> Response {
        guard pausedUntil < .now else { throw Problem.tryAgainLater }
        let items = query.sorted { $0.key < $1.key }.map(URLQueryItem.init)
        var request = URLRequest(url: server.appending(path: path).appending(queryItems: items))
        (request.httpMethod, request.httpBody) = (method, body)
        for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
        request.setValue(token, forHTTPHeaderField: "tb-auth-token")
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        let result = try? await transport(request)
        let response = result?.1 as? HTTPURLResponse, status = response?.statusCode ?? 503
        if status == 401 { throw Problem.signedOut }
        // Something else, such as a login page of a network, is no response of the server.
        let data = result?.0 ?? Data()
        let isJSON = data.isEmpty || response?.mimeType == "application/json"
        guard isJSON, status < 500, status != 408, status != 429 else {
            failures += 1
            let least = Double(response?.value(forHTTPHeaderField: "Retry-After") ?? "") ?? 0
            let pause = max(least, .random(in: 0.5...1) * min(60, pow(2, failures)))
            pausedUntil = Date(timeIntervalSinceNow: pause)
            throw Problem.tryAgainLater
        }
        failures = 0
        return Response(
            status: status,
            data: data,
            tag: response?.value(forHTTPHeaderField: "ETag")
        )
    }
}

private func object(_ data: Data?) -> [String: Any] {
    data.flatMap { try? JSONSerialization.jsonObject(with: $0) as? [String: Any] } ?? [:]
}

/// A copy of a filter's records, and the writes that wait for the network, in one file.
///
/// Create one for each file.
actor OfflineStore {
    struct Write: Codable {
        /// Such as `event/7`, or `event/` and a UUID while the record has no id.
        var record: String
        let method: String, body: Data?
        var ifMatch: String?, key = UUID(), firstSent: Date?
        /// The record in the response, which is shown until the feed has it.
        var result: Data?
        /// The reason why the server has rejected it, to show to the person.
        var error: String?
    }

    fileprivate struct State: Codable {
        var records: [String: Data] = [:], versions: [String: String] = [:], cursor = "0"
        var outbox: [Write] = []
    }

    private let connection: Connection, filter: [String: String], file: URL
    private var state = State(), isDraining = false, isRefreshing = false

    init(_ connection: Connection, filter: [String: String], file: URL) throws {
        (self.connection, self.filter, self.file) = (connection, filter, file)
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
            let new = object(write.result ?? write.body)
            let values = object(shown[write.record]).merging(new) { $1 }
            let json = try? JSONSerialization.data(withJSONObject: values)
            shown[write.record] = write.method == "DELETE" ? nil : json
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
        let response = try await connection.send(
            write.method,
            "v1/\(parts[0])s" + (isNew ? "" : "/\(parts[1])"),
            headers: [
                "Idempotency-Key": "\"\(write.key)\"", "If-Match": write.ifMatch,
                "Prefer": "return=representation",
            ],
            body: write.body
        )
        let isGone = response.status == 404 && write.method == "DELETE"
        let isStored = response.status < 300 || isGone
        try update { state in
            for index in state.outbox.indices where state.outbox[index].record == write.record {
                let isThis = state.outbox[index].key == write.key
                if isThis, !isStored { state.outbox[index].error = response.message }
                guard isStored else { continue }
                if isThis { state.outbox[index].result = response.data }
                // The next write of the record builds on this one.
                state.outbox[index].ifMatch = response.tag
                guard isNew, let id = response.json["id"] else { continue }
                state.outbox[index].record = "\(parts[0])/\(id)"
            }
        }
    }

    /// Fetches what has changed, for which the server waits up to `wait` seconds.
    func refresh(wait: Int = 0) async throws {
        guard !isRefreshing else { return }
        isRefreshing = true
        defer { isRefreshing = false }
        // The feed has these writes by now.
        let done = Set(state.outbox.filter { $0.result != nil }.map(\.key))
        var new = state, more = true
        while more {
            var query = filter
            (query["since"], query["limit"]) = (new.cursor, "500")
            if done.isEmpty { query["wait"] = "\(wait)" }
            let response = try await connection.send("GET", "v1/changes", query: query)
            if response.status == 410 {
                new = State()
            } else if response.status == 200, let cursor = response.json["cursor"] as? String {
                new.apply(response.json["changes"] as? [[String: Any]] ?? [])
                (new.cursor, more) = (cursor, response.json["more"] as? Bool == true)
            } else {
                throw Connection.Problem.rejected(response.message)
            }
        }
        try update { [new] state in
            (state.records, state.versions, state.cursor) = (new.records, new.versions, new.cursor)
            state.outbox.removeAll { done.contains($0.key) }
        }
    }
}

extension OfflineStore.State {
    /// Applies a page, without the operations that only later versions have.
    fileprivate mutating func apply(_ changes: [[String: Any]]) {
        for change in changes {
            guard let type = change["type"] as? String, let id = change["id"] else { continue }
            let record = "\(type)/\(id)"
            switch change["op"] as? String {
            case "enter", "change":
                guard let content = change[type] as? [String: Any] else { continue }
                records[record] = try? JSONSerialization.data(withJSONObject: content)
                versions[record] = change["version"].map { "\"\($0)\"" }
                // The user's attendance brings its event.
                guard let event = content["event"] as? [String: Any], event["name"] != nil,
                    let id = event["id"]
                else { continue }
                records["event/\(id)"] = try? JSONSerialization.data(withJSONObject: event)
            case "leave":
                (records[record], versions[record]) = (nil, nil)
                // With an event, the attendances leave that name it.
                records = records.filter { other, data in
                    guard type == "event", other.hasPrefix("attendance/") else { return true }
                    let event = object(data)["event"] as? [String: Any]
                    return event?["id"].map { "\($0)" } != "\(id)"
                }
            default: continue
            }
        }
    }
}

extension OfflineStore {
    /// Opens the store of the user's events and attendances.
    static func mine(_ connection: Connection, in folder: URL) throws -> OfflineStore {
        let file = folder.appending(path: "mine.plist")
        return try OfflineStore(connection, filter: ["mine": "1"], file: file)
    }

    /// Creates an event, also without a network.
    func createEvent(_ name: String, lat: Double, lon: Double, startedAt: Date) throws {
        let event: [String: Any] = [
            "name": name, "lat": lat, "lon": lon, "started_at": startedAt.formatted(.iso8601),
        ]
        try write("POST", "event/\(UUID())", JSONSerialization.data(withJSONObject: event))
    }

    /// Keeps the store current, until the task is cancelled.
    ///
    /// Run it while the app is in the foreground, and show `records` again after each call of
    /// `onRefresh`.
    func follow(onRefresh: @Sendable () async -> Void) async throws {
        while !Task.isCancelled {
            do {
                try await drain()
                try await refresh(wait: 30)
                await onRefresh()
            } catch Connection.Problem.tryAgainLater {
                // The connection pauses.
            }
            try await Task.sleep(for: .seconds(1))
        }
    }
}
