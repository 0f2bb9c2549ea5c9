import Foundation
import HumonClient
import Testing

@testable import HumonOutbox

/// Entries whose keys the server may have forgotten.
@Suite(.timeLimit(.minutes(5))) struct OutboxKeyTests {
    /// Lets the server forget the keys of a released outbox, which were sent seven days ago.
    private func forgetKeys(_ scene: OutboxScene) async throws {
        let time = Date(timeIntervalSinceNow: -7 * 86_400).timeIntervalSince1970
        let sql = "UPDATE entry SET key = 'forgotten-' || key, first_sent = \(time)"
        try await scene.run(sql + " WHERE first_sent IS NOT NULL")
        try await scene.proxy.fail([])
    }

    /// The faults by which the server has performed a write, or not.
    private static let faults = [("drop-after", true), ("drop-before", false)]

    @Test(arguments: faults)
    func `A create looks for its event`(fault: String, isPerformed: Bool) async throws {
        let scene = try await OutboxScene()
        for name in ["Others", "More"] { _ = try await scene.direct.events.create(.ghent(name)) }
        var record: Record?
        try await scene.write(after: [fault]) { outbox in
            record = try await outbox.create(.ghent())
            try await outbox.update(try #require(record), .name("Late jazz"))
        }
        try await forgetKeys(scene)

        let device = try await scene.open()
        try await device.settle()

        let events = try await scene.events()
        #expect(events.map(\.name) == ["Others", "More", "Late jazz"])
        #expect(try await device.outbox.id(of: try #require(record)) == events.last?.id)
        let posts = try await scene.writes().filter { $0.method == "POST" }
        #expect(posts.count == (isPerformed ? 0 : 1))
        #expect(posts.allSatisfy { $0.key?.contains("forgotten") == false })
    }

    @Test(arguments: faults)
    func `An update compares its attributes`(fault: String, isPerformed: Bool) async throws {
        let scene = try await OutboxScene()
        var draft = EventDraft.ghent()
        draft.tags = ["jazz"]
        draft.address = "Korenmarkt"
        let id = try await scene.direct.events.create(draft)
        let version = try await scene.direct.events.event(id).version
        var changes = EventChanges.name("Late jazz")
        changes.coordinate = .set(Coordinate(latitude: 51.0543, longitude: 3.7174))
        changes.startedAt = .set(Date(timeIntervalSince1970: 2_095_956_000.789))
        changes.tags = .clear
        changes.address = .clear
        changes.isAllDay = .set(false)
        changes.status = .set(.scheduled)
        changes.data = .set(try EventData(["count": 1]))
        try await scene.write(after: [fault]) { [changes] in
            try await $0.update(.stored(id), changes, ifMatch: version)
        }
        try await forgetKeys(scene)

        let news = try await scene.open().settle()

        #expect(news.compactMap(\.sent).count == 1)
        #expect(try await scene.writes().count == (isPerformed ? 0 : 1))
        let event = try await scene.direct.events.event(id)
        #expect(event.name == "Late jazz")
        #expect(event.tags == [])
    }

    @Test(arguments: faults)
    func `A delete looks whether its event is gone`(
        fault: String,
        isPerformed: Bool
    ) async throws {
        let scene = try await OutboxScene()
        let id = try await scene.direct.events.create(.ghent())
        try await scene.write(after: [fault]) { try await $0.delete(.stored(id)) }
        try await forgetKeys(scene)

        try await scene.open().settle()

        #expect(try await scene.writes().count == (isPerformed ? 0 : 1))
        #expect(try await scene.events() == [])
    }

    @Test func `A delete takes no page of a proxy for its own 404`() async throws {
        let scene = try await OutboxScene()
        let id = try await scene.direct.events.create(.ghent())
        try await scene.write(after: ["drop-before"]) { try await $0.delete(.stored(id)) }
        try await forgetKeys(scene)
        try await scene.proxy.fail(["GET html-404", "DELETE html-404"])

        try await scene.open().settle()

        let methods = try await scene.proxy.log().requests.map(\.method)
        #expect(methods == ["GET", "GET", "DELETE", "DELETE"])
        #expect(try await scene.events() == [])
    }

    @Test(arguments: faults)
    func `Attending and cancelling are the same twice`(
        fault: String,
        isPerformed _: Bool
    ) async throws {
        let scene = try await OutboxScene()
        let id = try await scene.direct.events.create(.ghent())
        try await scene.write(after: [fault]) { _ = try await $0.attend(.stored(id)) }
        try await forgetKeys(scene)
        try await scene.open().settle()
        let attendances = try await scene.direct.attendances.list(id).attendances
        #expect(attendances.count == 1)
        let attendance = Record.stored(try #require(attendances.first).id)

        try await scene.write(after: [fault]) { try await $0.cancel(attendance) }
        try await forgetKeys(scene)
        try await scene.open().settle()
        #expect(try await scene.direct.attendances.list(id).count == 0)
    }
}
