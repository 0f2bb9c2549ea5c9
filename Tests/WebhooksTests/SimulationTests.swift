import Events
import Foundation
import HTTPClient
import Model
import Rules
import SQLite
import SQLiteStorage
import StorageSupport
import System
import Testing
import Time

@testable import Webhooks

/// Webhooks with a simulated clock: outages of hours, lost responses, kills at each call, pruning,
/// restores.
@Suite struct SimulationTests {
    /// The number of seeds; more are tried with HUMON_TEST_WEBHOOK_SEEDS=200.
    private static let seeds =
        UInt64(
            ProcessInfo.processInfo.environment["HUMON_TEST_WEBHOOK_SEEDS"] ?? ""
        ) ?? 10

    @Test(arguments: 1...seeds)
    func `loses nothing in seven days`(seed: UInt64) async throws {
        let simulation = try Simulation(seed: seed)
        let run = try await SimulatedWeek(simulation)
        try await run.perform()
    }

    @Test func `ends after exactly seven days of failures, and goes on where it was`() async throws
    {
        let simulation = try Simulation(seed: 1)
        let fixture = simulation.fixture
        let webhooks = simulation.webhooks
        let id = try await simulation.add(snapshot: nil)
        let event = try await fixture.events.create(.named("a", 1), token: simulation.token())
        simulation.state.withLock { $0.downUntil = .max }
        var delivery = WebhookDelivery(of: id, simulation.surroundings())
        let start = simulation.state.withLock { $0.now }
        var disabledAt: Int64?
        var steps = 0
        while disabledAt == nil, steps < 3000 {
            steps += 1
            let pause = try await delivery.step() ?? 0
            let progress = try await webhooks.all().first?.webhook.progress
            disabledAt = progress?.disabledAt?.milliseconds
            let next = progress?.nextAttemptAt.milliseconds ?? 0
            if disabledAt == nil {
                simulation.state.withLock { $0.now = max($0.now + pause, next) }
            }
        }
        #expect(disabledAt == start + WebhookDelivery.patience)
        let sent = simulation.state.withLock { $0.sent }
        simulation.state.withLock { $0.downUntil = 0 }
        simulation.state.withLock { $0.isSettling = true }
        #expect(try await delivery.step() == WebhookDelivery.glance)
        #expect(simulation.state.withLock { $0.sent } == sent)

        try await webhooks.resume(id, skippingIn: nil, by: "cli:ana")
        while try await delivery.step() == 0 {}
        #expect(simulation.state.withLock { $0.receiver.events.keys.sorted() } == [event])
    }

    @Test func `waits longer after each failure, or as long as the receiver wants`() async throws {
        let simulation = try Simulation(seed: 1)
        let id = try await simulation.add(snapshot: nil)
        _ = try await simulation.fixture.events.create(.named("a", 1), token: simulation.token())
        let responses = Responses([0, 0, 0, 0, 0, 0, 7, 9000].map { (503, $0) } + [(410, 0)])
        var surroundings = simulation.surroundings()
        surroundings.jitter = { 1 }
        surroundings.send = { _, _, _ in responses.next() }
        var delivery = WebhookDelivery(of: id, surroundings)
        var pauses: [Int64] = []
        while try await simulation.webhooks.all().first?.webhook.progress.disabledAt == nil {
            _ = try await delivery.step()
            let progress = try await simulation.webhooks.all().first?.webhook.progress
            let now = simulation.state.withLock { $0.now }
            let next = max(progress?.nextAttemptAt.milliseconds ?? 0, now)
            pauses.append((next - now) / 1000)
            simulation.state.withLock { $0.now = next }
        }
        #expect(pauses == [5, 15, 60, 300, 900, 900, 7, 3600, 0])
    }

    @Test func `halves a message that is too large, under a new id`() async throws {
        let simulation = try Simulation(seed: 1)
        simulation.state.withLock { $0.isSettling = true }
        let id = try await simulation.add(snapshot: nil)
        for index in 1...9 {
            _ = try await simulation.fixture.events.create(
                .named("\(index)", 1),
                token: simulation.token()
            )
        }
        var surroundings = simulation.surroundings()
        surroundings.send = { webhook, fields, body in
            let count = String(decoding: body, as: UTF8.self).split(separator: "op").count - 1
            if count > 3 { return HTTPClient.Response(status: 413) }
            return try simulation.send(fields, body)
        }
        var delivery = WebhookDelivery(of: id, surroundings)
        while try await delivery.step() == 0 {}
        let (events, ids) = simulation.state.withLock { ($0.receiver.events, $0.receiver.ids) }
        #expect(events.count == 9)
        #expect(ids.count > 2)
    }

    @Test func `another server sends only when the lease has ended`() async throws {
        let simulation = try Simulation(seed: 1)
        simulation.state.withLock { $0.isSettling = true }
        let id = try await simulation.add(snapshot: nil)
        _ = try await simulation.fixture.events.create(.named("a", 1), token: simulation.token())
        // The first one stalls while it sends.
        var first = simulation.surroundings()
        first.send = { _, _, _ in throw Killed() }
        var stalled = WebhookDelivery(of: id, first)
        await #expect(throws: Killed.self) { _ = try await stalled.step() }
        var other = WebhookDelivery(of: id, simulation.surroundings())
        #expect(try await other.step() == 1000)
        #expect(simulation.state.withLock { $0.sent } == 0)
        simulation.state.withLock { $0.now += 30_001 }
        #expect(try await other.step() == 0)
        #expect(simulation.state.withLock { $0.receiver.events.count } == 1)
    }
}

/// Responses in their order.
private final class Responses: Sendable {
    private let rest: Mutex<[(status: Int, retryAfter: Int)]>

    init(_ all: [(Int, Int)]) {
        rest = Mutex(all.map { ($0.0, $0.1) })
    }

    func next() -> HTTPClient.Response {
        rest.withLock { rest in
            let first = rest.removeFirst()
            return HTTPClient.Response(status: first.status, retryAfter: first.retryAfter)
        }
    }
}

/// Seven days of writes, failures and deliveries.
private struct SimulatedWeek {
    private struct Known {
        var longitude: Double
        var isPrivate = false
        var isCancelled = false

        var isInView: Bool { longitude <= 7 && !isPrivate && !isCancelled }
    }

    private let simulation: Simulation
    private let id: Int64

    init(_ simulation: Simulation) async throws {
        self.simulation = simulation
        let hasSnapshot = simulation.state.withLock { $0.chance(0.5) }
        id = try await simulation.add(snapshot: hasSnapshot ? 0 : nil)
    }

    func perform() async throws {
        var known: [Int64: Known] = [:]
        var saved: [Int64: Known]?
        var delivery = WebhookDelivery(of: id, simulation.surroundings())
        let end: Int64 = simulation.state.withLock { $0.now } + 7 * 86_400_000
        while simulation.state.withLock({ $0.now }) < end {
            try await write(&known)
            simulation.state.withLock { state in
                state.now += ([1, 30, 600, 7200].randomElement(using: &state.random) ?? 1) * 1000
                if state.now > state.downUntil, state.chance(0.05) {
                    let hours: [Int64] = [1, 2, 24, 72]
                    state.downUntil =
                        state.now + (hours.randomElement(using: &state.random) ?? 1) * 3_600_000
                }
                state.killsLeft = state.chance(0.5) ? 2 : 0
            }
            let (prunes, saves, restores) = simulation.state.withLock { state in
                (
                    state.chance(state.now < state.downUntil ? 0.2 : 0.01), state.chance(0.02),
                    state.chance(0.02)
                )
            }
            if prunes { try await prune() }
            if saves {
                try await simulation.fixture.save()
                saved = known
            }
            if restores, let former = saved {
                try await simulation.fixture.restore()
                known = former
                simulation.state.withLock { $0.pending = [] }
            }
            try await deliver(&delivery)
        }
        try await settle(&delivery)
        try await check()
    }

    private func write(_ known: inout [Int64: Known]) async throws {
        let events = simulation.fixture.events
        let (kind, index, longitude, name) = simulation.state.withLock { state in
            (
                Int.random(in: 0..<10, using: &state.random),
                Int.random(in: 0..<1000, using: &state.random),
                Double(Int.random(in: 0...9, using: &state.random)),
                String(Int.random(in: 0..<1000, using: &state.random))
            )
        }
        let ids = known.keys.sorted()
        guard kind > 2, !ids.isEmpty else {
            let created = try await events.create(
                .named(name, longitude),
                token: simulation.token()
            )
            let id = created ?? 0
            known[id] = Known(longitude: longitude)
            if longitude <= 7 { note(id) }
            return
        }
        let id = ids[index % ids.count]
        var new = known[id] ?? Known(longitude: 0)
        let wasInView = new.isInView
        if kind == 3 {
            try await events.delete(id, ownerID: 1, if: nil)
            known[id] = nil
            if wasInView { note(id) }
            return
        }
        switch kind {
        case 4, 5: new.longitude = longitude
        case 6: new.isPrivate.toggle()
        case 7: new.isCancelled.toggle()
        default: break
        }
        let changed = new
        try await events.update(id, ownerID: 1, if: nil) { old in
            var attributes = old
            attributes.name = name
            attributes.coordinate = Coordinate(latitude: 1, longitude: changed.longitude)
            attributes[.visibility] = changed.isPrivate ? "private" : nil
            attributes[.status] = changed.isCancelled ? "cancelled" : nil
            return attributes
        }
        known[id] = new
        if wasInView || new.isInView { note(id) }
    }

    private func note(_ id: Int64) {
        simulation.state.withLock { _ = $0.pending.insert(id) }
    }

    private func prune() async throws {
        let kept = simulation.state.withLock { $0.chance(0.5) ? Int64(3) : 30 }
        try await simulation.fixture.writeElsewhere { connection in
            try connection.execute(
                script: """
                    UPDATE feed SET floor = max(floor, (SELECT max(seq) FROM changes) - \(kept));
                    DELETE FROM changes WHERE seq <= (SELECT floor FROM feed);
                    """
            )
        }
        simulation.fixture.loadAgain()
    }

    /// Performs the steps that are due, and begins anew when one is killed.
    private func deliver(_ delivery: inout WebhookDelivery) async throws {
        for _ in 1...20 {
            do {
                let pause = try await delivery.step() ?? 0
                let goesOn = simulation.state.withLock { state in
                    if pause == 0 { return true }
                    guard state.chance(0.3) else { return false }
                    state.now += pause
                    return true
                }
                if !goesOn { return }
            } catch is Killed {
                delivery = WebhookDelivery(of: id, simulation.surroundings())
            }
        }
    }

    private func settle(_ delivery: inout WebhookDelivery) async throws {
        simulation.state.withLock { state in
            (state.downUntil, state.killsLeft, state.isSettling) = (0, 0, true)
        }
        for _ in 1...4000 {
            simulation.state.withLock { $0.now += 60_000 }
            _ = try await delivery.step()
            guard let found = try await simulation.webhooks.all().first else { return }
            let (progress, backlog) = (found.webhook.progress, found.backlog)
            if progress.message == nil, progress.snapshotID == nil, backlog.changes == 0,
                try await simulation.fixture.database.stores.changes.latest().log == progress.epoch
            {
                return
            }
        }
    }

    private func check() async throws {
        let webhook = try #require(try await simulation.webhooks.all().first)
        #expect(webhook.webhook.progress.disabledAt == nil)
        #expect(webhook.backlog.changes == 0)
        let view = try await simulation.view()
        simulation.state.withLock { state in
            #expect(state.receiver.events == view)
            #expect(state.pending == [])
            for (epoch, arrivals) in state.receiver.arrivals {
                // The receiver may have accepted a message, unknown to the sender, whose rows were
                // deleted in part before it was sent again.
                let resets = arrivals.filter { $0.last == 0 && $0.count == 2 }
                let others = arrivals.split { $0.last == 0 && $0.count == 2 }
                let areAscending = ([resets[...]] + others).allSatisfy { arrivals in
                    zip(arrivals, arrivals.dropFirst()).allSatisfy { one, next in
                        one.lexicographicallyPrecedes(next)
                    }
                }
                #expect(areAscending, "\(epoch): \(arrivals)")
            }
        }
    }
}

extension Simulation {
    func token() -> TokenDigest { TokenDigest(bytes: [UInt8](repeating: 1, count: 32)) }

    /// Adds the webhook, and a user.
    func add(snapshot: Int64?) async throws -> Int64 {
        _ = try await fixture.users.create(token: token())
        return try await webhooks.add(
            Webhook.Settings(
                url: "https://receiver.example",
                salt: Array(0x10...0x1F),
                kinds: [.event],
                filter: "",
                batch: state.withLock { Int.random(in: 1...8, using: &$0.random) },
                allowsPrivate: false
            ),
            Webhook.Progress(
                after: fixture.database.stores.changes.latest(),
                snapshotID: snapshot
            ),
            limit: 16,
            by: "cli:ana"
        )
    }
}

extension EventAttributes {
    /// An event with a name at a longitude.
    static func named(_ name: String, _ longitude: Double) -> Self {
        EventAttributes(
            name: name,
            coordinate: Coordinate(latitude: 1, longitude: longitude),
            startedAt: Timestamp(milliseconds: 0)
        )
    }
}
