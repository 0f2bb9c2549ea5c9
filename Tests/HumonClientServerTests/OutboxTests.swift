import Foundation
import HumonClient
import Testing

@testable import HumonOutbox

/// What becomes of writes by the responses that they get.
@Suite(.timeLimit(.minutes(5))) struct OutboxTests {
    /// An event that the server rejects.
    private static var invalid: EventDraft {
        var draft = EventDraft.ghent()
        draft.coordinate.latitude = 91
        return draft
    }

    @Test func `Writes before the first connection are sent`() async throws {
        let scene = try await OutboxScene(isSignedUp: false)
        let device = try await scene.open()
        let outbox = device.outbox
        let event = try await outbox.create(.ghent("Late jazz"))
        try await outbox.update(event, .name("Jazz"))
        let attendance = try await outbox.attend(event)
        try await outbox.cancel(attendance)
        let other = try await outbox.create(.ghent())
        try await outbox.delete(other)
        let kinds: [Entry.Kind] = [.create, .update, .attend, .cancel, .create, .delete]
        #expect(try await outbox.entries.map(\.kind) == kinds)

        let user = try await scene.humon.session.signUp()
        let sent = try await device.settle().compactMap(\.sent)

        #expect(sent.map(\.kind) == kinds)
        let events = try await scene.events()
        #expect(events.map(\.name) == ["Jazz"])
        #expect(events.map(\.owner.id) == [user.id])
        #expect(try await outbox.id(of: event) == events.first?.id)
        #expect(try await scene.direct.attendances.list(try #require(events.first).id).count == 0)
    }

    @Test func `A lone write is sent`() async throws {
        let scene = try await OutboxScene()
        let device = try await scene.open()

        for number in 1...20 {
            let event = try await device.outbox.create(.ghent("\(number)"))
            try await device.wait { $0.sent?.record == event }
        }

        #expect(try await scene.events().count == 20)
    }

    @Test func `A failed write is sent again without a new write; Its key never changes`()
        async throws
    {
        let scene = try await OutboxScene()
        let faults = ["drop-before", "drop-after", "503 0", "408", "500", "html", "empty"]
        try await scene.proxy.fail(faults)
        let device = try await scene.open()
        let event = try await device.outbox.create(.ghent())
        let first = try #require(try await device.outbox.entries.first)
        var same = 0

        let news = try await device.wait { item in
            // A write that failed is never marked as sent.
            guard let entry = try await device.outbox.entries.first else { return item == .idle }
            if (entry.key, entry.body, entry.record) == (first.key, first.body, event) { same += 1 }
            return false
        }

        #expect(same > faults.count)
        #expect(news.compactMap(\.sent).map(\.record) == [event])
        let writes = try await scene.writes()
        #expect(writes.map(\.key) == writes.map { _ in "\"\(first.key)\"" })
        #expect(writes.count == faults.count + 1)
        #expect(try await scene.events().count == 1)
    }

    @Test func `A rejected write stops no other record`() async throws {
        let scene = try await OutboxScene()
        let device = try await scene.open()
        let outbox = device.outbox
        let bad = try await outbox.create(Self.invalid)
        try await outbox.update(bad, .name("Late jazz"))
        let good = try await outbox.create(.ghent())
        let news = try await device.settle(leaving: 2)

        #expect(news.compactMap(\.rejection).map(\.kind) == [.validationFailed])
        #expect(news.compactMap(\.sent).map(\.record) == [good])
        let (rejected, waiting) = try await (outbox.entries[0], outbox.entries[1])
        #expect(rejected.error?.hasPrefix("Lat must be") == true)
        #expect(waiting.error == nil)
        #expect(waiting.attempts == 0)

        try await outbox.retry(rejected.id)
        try await device.settle(leaving: 2)
        let again = try await outbox.entries[0]
        #expect(again.key != rejected.key)
        #expect(again.body == rejected.body)
        await #expect(throws: OutboxError.noSuchEntry) { try await outbox.retry(waiting.id) }

        var changes = EventChanges()
        changes.coordinate = .set(Coordinate(latitude: 51.5, longitude: 3.72))
        try await outbox.replace(rejected.id, with: changes)
        try await device.settle()
        #expect(Set(try await scene.writes().filter { $0.method == "POST" }.map(\.key)).count == 4)
        let created = try #require(try await outbox.id(of: bad))
        let event = try await scene.direct.events.event(created)
        #expect(event.name == "Late jazz")
        #expect(event.coordinate.latitude == 51.5)
    }

    @Test func `A write on another version is rejected, and replaced with the current one`()
        async throws
    {
        let scene = try await OutboxScene()
        let id = try await scene.direct.events.create(.ghent())
        let old = try await scene.direct.events.event(id).version
        try await scene.direct.events.update(id, .name("Other"))
        let device = try await scene.open()
        let record = Record.stored(id)
        try await device.outbox.update(record, .name("Mine"), ifMatch: old)
        try await device.outbox.delete(record)
        let error = try #require(try await device.settle(leaving: 2).compactMap(\.rejection).first)
        let current = try await scene.direct.events.event(id)

        #expect(error.kind == .preconditionFailed)
        #expect(error.version == current.version)
        #expect(current.name == "Other")
        let entry = try #require(try await device.outbox.entries.first)
        await #expect(throws: OutboxError.noSuchEntry) {
            try await device.outbox.replace(entry.id + 1, with: .name("a"))
        }
        try await device.outbox.replace(entry.id, with: .name("Ours"), ifMatch: error.version)
        #expect(try await device.settle().compactMap(\.sent).map(\.kind) == [.update, .delete])
        #expect(try await scene.events() == [])
    }

    @Test func `A write of another user's event is rejected, and one of a deleted event`()
        async throws
    {
        let scene = try await OutboxScene()
        let other = try await scene.server.newUser().events.create(.ghent())
        let gone = try await scene.direct.events.create(.ghent())
        try await scene.direct.events.delete(gone)
        let device = try await scene.open()
        try await device.outbox.update(.stored(other), .name("a"))
        try await device.outbox.update(.stored(gone), .name("a"))
        try await device.outbox.delete(.stored(gone))
        let news = try await device.settle(leaving: 3)

        #expect(news.compactMap(\.rejection).map(\.kind) == [.forbidden, .notFound])
        // It is gone, as the entry wants it.
        try await device.outbox.discard(try await device.outbox.entries[1].id)
        #expect(try await device.settle(leaving: 1).compactMap(\.sent).map(\.kind) == [.delete])
    }

    @Test func `Discarding a create discards what needs its record`() async throws {
        let scene = try await OutboxScene()
        let device = try await scene.open()
        let outbox = device.outbox
        let bad = try await outbox.create(Self.invalid)
        try await outbox.update(bad, .name("a"))
        let attendance = try await outbox.attend(bad)
        try await outbox.cancel(attendance)
        try await device.settle(leaving: 4)
        let entry = try #require(try await outbox.entries.first)

        let discarded = try await outbox.discard(entry.id)

        #expect(discarded.map(\.kind) == [.create, .update, .attend, .cancel])
        #expect(try await outbox.entries == [])
        await #expect(throws: OutboxError.noSuchEntry) { try await outbox.discard(entry.id) }
        await #expect(throws: OutboxError.noSuchRecord) { try await outbox.delete(bad) }
        await #expect(throws: OutboxError.noSuchRecord) { try await outbox.cancel(attendance) }
    }

    @Test func `An attendance is no event`() async throws {
        let scene = try await OutboxScene(isSignedUp: false)
        let outbox = try await scene.open().outbox
        let event = try await outbox.create(.ghent())
        let attendance = try await outbox.attend(event)

        await #expect(throws: OutboxError.noSuchRecord) { try await outbox.delete(attendance) }
        await #expect(throws: OutboxError.noSuchRecord) { try await outbox.attend(attendance) }
        await #expect(throws: OutboxError.noSuchRecord) { try await outbox.cancel(event) }
        #expect(try await outbox.entries.count == 2)
    }

    @Test func `An entry that is being sent can't be discarded`() async throws {
        let scene = try await OutboxScene(timeout: .seconds(10))
        try await scene.proxy.fail(["trickle-stall 0"])
        let device = try await scene.open()
        _ = try await device.outbox.create(.ghent())
        let entry = try #require(try await device.outbox.entries.first)
        while try await scene.writes().isEmpty { await Task.yield() }

        await #expect(throws: OutboxError.noSuchEntry) {
            try await device.outbox.discard(entry.id)
        }
        try await device.settle()
        #expect(try await scene.events().count == 1)
    }

    @Test(arguments: ["500", "html", "html-404", "empty"])
    func `A failure of the server delays only its entry`(fault: String) async throws {
        let scene = try await OutboxScene()
        try await scene.proxy.fail([fault])
        // A second attempt would come after more than a quarter of an hour.
        var device: OpenOutbox? = try await scene.open(pace: 1000)
        let first = try await device?.outbox.create(.ghent("a"))
        for name in ["b", "c"] { _ = try await device?.outbox.create(.ghent(name)) }
        let news = try await device?.wait { item in
            guard case .waiting = item else { return false }
            return try await device?.outbox.entries.count == 1
        }
        let rest = try await device?.outbox.entries

        #expect(news?.filter(\.isPause) == [])
        #expect(rest?.map { $0.record } == [try #require(first)])
        #expect(rest?.map(\.attempts) == [1])
        #expect(rest?.map(\.error) == [nil])
        device = nil
        try await scene.run("UPDATE entry SET next_attempt = NULL")
        try await scene.open().settle()
        #expect(try await scene.events().map(\.name) == ["b", "c", "a"])
    }

    @Test(arguments: ["503 1", "429 1", "drop-before", "408", "502", "504", "redirect"])
    func `A failure of something else delays all`(fault: String) async throws {
        let scene = try await OutboxScene()
        try await scene.proxy.fail([fault])
        let device = try await scene.open()
        let before = Date.now
        for name in ["a", "b"] { _ = try await device.outbox.create(.ghent(name)) }
        let news = try await device.settle()

        let keys = try await scene.writes().compactMap(\.key)
        #expect(keys.count == 3)
        #expect(keys.first == keys.dropFirst().first)
        #expect(news.filter(\.isPause).count == 1)
        guard fault.hasSuffix(" 1") else { return }
        let times = news.compactMap { item -> Date? in
            if case .waiting(let time) = item { time } else { nil }
        }
        #expect(try #require(times.max()) >= before.addingTimeInterval(1))
    }
}
