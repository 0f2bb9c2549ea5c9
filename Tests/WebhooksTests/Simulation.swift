import Events
import Foundation
import HTTPClient
import Model
import Randomness
import SQLite
import SQLiteStorage
import StorageSupport
import System
import Testing
import Time

@testable import Webhooks

/// A receiver that mirrors the view: it ignores messages whose ids it knows.
struct MirroringReceiver {
    /// The names of events by id.
    var events: [Int64: String] = [:]
    var ids: Set<String> = []
    /// The numbers of the ids of each epoch, in the order of their arrival.
    var arrivals: [String: [[Int64]]] = [:]
    var resets = 0
    var newest: [Int64] = []

    /// Applies a message, and returns the ids of the events that it mentions, or nil for all.
    mutating func accept(_ id: String, _ body: [UInt8]) throws -> Set<Int64>? {
        guard ids.insert(id).inserted else { return [] }
        let parts = id.split(separator: "_").map(String.init)
        let numbers = parts.dropFirst(3).compactMap { Int64($0) }
        arrivals[parts[1], default: []].append(numbers)
        let object = try JSONSerialization.jsonObject(with: Data(body)) as? [String: Any] ?? [:]
        if object["type"] as? String == "reset" {
            resets += 1
            events = [:]
            return nil
        }
        var mentioned: Set<Int64> = []
        for change in (object["changes"] as? [[String: Any]]) ?? [] {
            guard let id = (change["id"] as? NSNumber)?.int64Value else { continue }
            mentioned.insert(id)
            events[id] = change["op"] as? String == "leave" ? nil : change["name"] as? String
        }
        return mentioned
    }
}

/// A step was killed.
struct Killed: Error {}

/// Seven simulated days of one webhook, with the storage of a server.
///
/// All randomness is from the seed, and nothing depends on the real time.
final class Simulation: Sendable {
    struct State {
        var random: SeededGenerator
        var now: Int64 = 1_800_000_000_000
        var receiver = MirroringReceiver()
        /// Until when the receiver is down.
        var downUntil: Int64 = 0
        var killsLeft = 0
        /// Events in the view that have changed since the receiver heard of them.
        var pending: Set<Int64> = []
        var sent = 0
        var kills = 0
        var problems: [String] = []
        /// Where the message whose first byte was sent ends, by its id.
        var bodies: [String: String] = [:]
        var isSettling = false

        mutating func chance(_ probability: Double) -> Bool {
            Double.random(in: 0..<1, using: &random) < probability
        }
    }

    let fixture: StorageFixture
    let state: Mutex<State>

    init(seed: UInt64) throws {
        fixture = try StorageFixture(keepsEvents: true)
        state = Mutex(State(random: SeededGenerator(seed: seed)))
    }

    var webhooks: any WebhookStore { fixture.database.stores.webhooks }

    /// Ends the step now and then, before or after a call.
    func mayDie() throws {
        let dies = state.withLock { state in
            guard state.killsLeft > 0, state.chance(0.06) else { return false }
            state.killsLeft -= 1
            state.kills += 1
            return true
        }
        if dies { throw Killed() }
    }

    /// Receives a message; throws `HTTPClientError` if the response is lost.
    func send(_ fields: [String], _ body: [UInt8]) throws -> HTTPClient.Response {
        try mayDie()
        let id = fields.first { $0.hasPrefix("webhook-id: ") }.map { String($0.dropFirst(12)) }
        let response = try state.withLock { state -> HTTPClient.Response? in
            state.sent += 1
            if state.now < state.downUntil || state.chance(state.isSettling ? 0 : 0.1) {
                if state.chance(0.3) { return nil }
                return HTTPClient.Response(
                    status: 503,
                    retryAfter: state.chance(0.3)
                        ? Int.random(in: 1...9000, using: &state.random) : 0
                )
            }
            // A receiver that has accepted a message accepts it again.
            let isKnown = state.receiver.ids.contains(id ?? "")
            if !state.isSettling, !isKnown, body.count > 200, state.chance(0.1) {
                return HTTPClient.Response(status: 413)
            }
            let mentioned = try state.receiver.accept(id ?? "", body)
            if let mentioned { state.pending.subtract(mentioned) } else { state.pending = [] }
            // The 2xx is lost now and then.
            return !state.isSettling && state.chance(0.15) ? nil : HTTPClient.Response(status: 204)
        }
        try mayDie()
        guard let response else { throw HTTPClientError("Timeout was reached") }
        return response
    }

    func surroundings() -> WebhookSurroundings {
        WebhookSurroundings(
            webhooks: MortalWebhookStore(base: webhooks, simulation: self),
            changes: MortalChangeStore(base: fixture.database.stores.changes, simulation: self),
            node: state.withLock { String($0.random.next(), radix: 16) },
            signer: WebhookSigner(key: Array(0...0x1F)),
            version: "1",
            filter: { _ in EventFilter.simulated },
            render: { content in
                let changes = (content.changes ?? []).map { change -> String in
                    guard case .event(let id, let event) = change.record else { return "{}" }
                    let name = event.map { String(decoding: $0.json, as: UTF8.self) } ?? ""
                    let text = Data(name.utf8).base64EncodedString()
                    return #"{"op":"\#(change.operation.rawValue)","id":\#(id),"name":"\#(text)"}"#
                }
                return Array(
                    #"{"type":"\#(content.type)","changes":[\#(changes.joined(separator: ","))]}"#
                        .utf8
                )
            },
            send: { [self] _, fields, body in try send(fields, body) },
            now: { [self] in Timestamp(milliseconds: state.withLock { $0.now }) },
            jitter: { [self] in
                state.withLock { Double.random(in: 0.8...1.2, using: &$0.random) }
            }
        )
    }

    /// What a filter shows now, as the receiver should have it.
    func view() async throws -> [Int64: String] {
        var view: [Int64: String] = [:]
        var position: ChangePosition?
        while true {
            let page = try await fixture.database.stores.changes.page(
                .webhook(.simulated, [.event]),
                after: position,
                limit: 100
            )
            for change in page.changes {
                guard case .event(let id, let event?) = change.record else { continue }
                view[id] = Data(event.json).base64EncodedString()
            }
            position = page.position
            if page.position.snapshot == nil { return view }
        }
    }
}

extension EventFilter {
    /// A region in which most simulated events are.
    static let simulated = {
        var filter = EventFilter()
        filter.box = BoundingBox(west: 0, south: 0, east: 7, north: 10)
        return filter
    }()
}

/// A store whose callers die now and then, before or after a call.
private struct MortalWebhookStore: WebhookStore {
    let base: any WebhookStore
    let simulation: Simulation

    func all() async throws -> [(webhook: Webhook, backlog: WebhookBacklog)] {
        try simulation.mayDie()
        return try await base.all()
    }

    func add(
        _ settings: Webhook.Settings,
        _ progress: Webhook.Progress,
        limit: Int,
        by actor: String
    ) async throws -> Int64 {
        try await base.add(settings, progress, limit: limit, by: actor)
    }

    func remove(_ id: Int64, by actor: String) async throws {
        try await base.remove(id, by: actor)
    }

    func rotate(_ id: Int64, salt: [UInt8], until: Timestamp, by actor: String) async throws {
        try await base.rotate(id, salt: salt, until: until, by: actor)
    }

    func resume(_ id: Int64, skippingIn epoch: String?, by actor: String) async throws {
        try await base.resume(id, skippingIn: epoch, by: actor)
    }

    func store(
        _ progress: Webhook.Progress,
        of webhook: Webhook,
        by node: String,
        now: Timestamp,
        leaseEnd: Timestamp
    ) async throws -> Bool {
        try simulation.mayDie()
        let isStored = try await base.store(
            progress,
            of: webhook,
            by: node,
            now: now,
            leaseEnd: leaseEnd
        )
        try simulation.mayDie()
        return isStored
    }
}

private struct MortalChangeStore: ChangeStore {
    let base: any ChangeStore
    let simulation: Simulation

    func live() -> any LiveChanges { base.live() }

    func latest() async throws -> ChangePosition { try await base.latest() }

    func page(
        _ filter: ChangeFilter,
        after position: ChangePosition?,
        limit: Int
    ) async throws -> ChangePage {
        try simulation.mayDie()
        return try await base.page(filter, after: position, limit: limit)
    }

    func summary() async throws -> LogSummary { try await base.summary() }

    func renew() async throws { try await base.renew() }

    func bounds() async throws -> (latest: ChangePosition, floor: Int64) {
        try simulation.mayDie()
        return try await base.bounds()
    }

    func range(
        _ filter: ChangeFilter,
        after position: ChangePosition,
        upTo end: Int64?,
        limit: Int
    ) async throws -> ChangeRange? {
        try simulation.mayDie()
        return try await base.range(filter, after: position, upTo: end, limit: limit)
    }
}

extension FoundEvent {
    /// The bytes or the text of the event, which change with each of its changes.
    fileprivate var json: [UInt8] {
        switch content {
        case .json(let bytes): Array(bytes)
        case .event(let dated): Array("\(dated.event)".utf8)
        }
    }
}

extension StorageFixture {
    private static let saved = ["events", "changes", "webhooks", "feed"]

    /// Saves the events, the log and the webhooks.
    func save() async throws {
        try await writeElsewhere { connection in
            for table in Self.saved {
                try connection.execute(
                    script: """
                        DROP TABLE IF EXISTS saved_\(table);
                        CREATE TABLE saved_\(table) AS SELECT * FROM \(table);
                        """
                )
            }
        }
    }

    /// Restores what was saved, under a new epoch, as `humon restore` does.
    func restore() async throws {
        try await writeElsewhere { connection in
            for table in Self.saved {
                try connection.execute(
                    script: """
                        DELETE FROM \(table);
                        INSERT INTO \(table) SELECT * FROM saved_\(table);
                        """
                )
            }
            // Triggers have logged what was restored.
            try connection.execute(
                script: """
                    DELETE FROM changes;
                    INSERT INTO changes SELECT * FROM saved_changes;
                    UPDATE feed SET epoch = lower(hex(randomblob(4)));
                    """
            )
        }
        loadAgain()
    }

    /// Loads all events, as a server's thread does.
    func loadAgain() {
        eventIndex?.noteBehind()
        loadEvents()
    }
}
