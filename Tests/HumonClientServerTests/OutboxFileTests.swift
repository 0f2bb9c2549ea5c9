import Foundation
import HumonClient
import Testing

@testable import HumonOutbox

/// The file of an outbox.
@Suite(.timeLimit(.minutes(5))) struct OutboxFileTests {
    @Test func `An offline write leaves the phone`() async throws {
        let scene = try await OutboxScene()
        var record: Record?
        try await scene.write(after: ["drop-before"]) { record = try await $0.create(.ghent()) }
        try await scene.proxy.fail([])

        let device = try await scene.open()
        try await device.settle()

        let id = try await device.outbox.id(of: try #require(record))
        #expect(try await scene.events().map(\.id) == [id])
    }

    @Test func `One outbox uses a file, until it is released`() async throws {
        let scene = try await OutboxScene()
        try await scene.proxy.fail(["429 600"])
        var device: OpenOutbox? = try await scene.open()
        _ = try await device?.outbox.create(.ghent())
        try await device?.wait(until: \.isPause)
        #expect(throws: OutboxError.inUse) { try Outbox(client: scene.humon, file: scene.file) }
        device = nil

        // A timer that waits, or an observer, would keep it.
        let other = try await scene.open()
        #expect(try await other.outbox.entries.count == 1)
    }

    @Test func `A released outbox finishes only the request in flight`() async throws {
        let scene = try await OutboxScene(timeout: .seconds(2))
        try await scene.proxy.fail(["trickle-stall 0"])
        var device: OpenOutbox? = try await scene.open()
        for _ in 0..<20 { _ = try await device?.outbox.create(.ghent()) }
        while try await scene.writes().isEmpty { await Task.yield() }
        device = nil

        // It has ended by its timeout.
        try await scene.run("SELECT 1")
        #expect(try await scene.writes().count == 1)
        #expect(try await scene.events().count == 1)
    }

    @Test(arguments: [true, false])
    func `A damaged file is kept beside a new one`(isForeign: Bool) async throws {
        let scene = try await OutboxScene()
        if isForeign {
            try Data("No database, but a text of an app.".utf8).write(to: scene.file)
        } else {
            try await scene.write {
                for _ in 0..<50 { _ = try await $0.create(.ghent()) }
            }
            // The schema and the first page stay.
            try await scene.run("PRAGMA wal_checkpoint(TRUNCATE)")
            var data = try Data(contentsOf: scene.file)
            data.replaceSubrange(8192..., with: Data(repeating: 0x5A, count: data.count - 8192))
            try data.write(to: scene.file)
        }
        let damaged = try Data(contentsOf: scene.file)
        try await scene.proxy.fail([])

        let device = try await scene.open()
        _ = try await device.outbox.create(.ghent())
        let news = try await device.settle()

        guard case .broken(let place) = try #require(news.first) else {
            Issue.record("\(news)")
            return
        }
        #expect(place.path.hasPrefix(scene.file.path + ".broken-"))
        #expect(try Data(contentsOf: place) == damaged)
        #expect(try await scene.events().count == 1)
    }

    @Test func `A rejected write has its error after a launch`() async throws {
        let scene = try await OutboxScene()
        var invalid = EventDraft.ghent("Jazz")
        invalid.coordinate.latitude = 91
        var device: OpenOutbox? = try await scene.open()
        let record = try await device?.outbox.create(invalid)
        let news = try await device?.settle(leaving: 1)
        device = nil
        try await scene.proxy.fail(["429 600"])

        let outbox = try await scene.open().outbox
        _ = try await outbox.create(.ghent())
        let (rejected, waiting) = try await (outbox.entries[0], outbox.entries[1])

        #expect(rejected.record == record)
        #expect(rejected.errorKind == .validationFailed)
        #expect(rejected.error == news?.compactMap(\.rejection).first?.localizedDescription)
        #expect(rejected.attempts == 1)
        #expect(rejected.firstSent != nil)
        #expect(waiting.errorKind == nil && waiting.error == nil)
        try await outbox.retry(rejected.id)
        #expect(try await outbox.entries[0].errorKind == nil)
    }

    @Test(arguments: [1, 3]) func `A file of another version stays as it is`(version: Int)
        async throws
    {
        let scene = try await OutboxScene()
        try await scene.run("PRAGMA user_version = \(version)")

        let error = #expect(throws: OutboxError.self) {
            try Outbox(client: scene.humon, file: scene.file)
        }
        guard case .storage = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func `A full outbox takes no writes`() async throws {
        let scene = try await OutboxScene(isSignedUp: false)
        let size = 1024 * 1024
        try await scene.run(
            """
            WITH n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 9998)
            INSERT INTO entry (key, record, kind) SELECT 'key-' || n, 'event/' || n, 3 FROM n
            """
        )
        let outbox = try await scene.open().outbox
        var large = EventDraft.ghent()
        let rest = size - (try JSONEncoder().encode(large)).count
        large.description = String(repeating: "a", count: rest)
        await #expect(throws: OutboxError.full) { try await outbox.create(large) }
        large.description = String(repeating: "a", count: rest - #""description":"","#.utf8.count)
        _ = try await outbox.create(large)
        try await outbox.delete(.stored(1))
        await #expect(throws: OutboxError.full) { try await outbox.delete(.stored(1)) }

        #expect(try await outbox.entries.count == 10_000)
    }
}
