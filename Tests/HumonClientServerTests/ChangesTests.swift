import Foundation
import HumonClient
import Testing

@Suite struct ChangesTests {
    // A place where no other test has events.
    private let here = Coordinate(
        latitude: .random(in: -70 ... -60),
        longitude: .random(in: -180...180)
    )
    private var region: ChangeFilter { .region(.near(here, radius: .kilometers(5))) }

    private func draft(_ name: String) -> EventDraft {
        EventDraft(name: name, at: here, startedAt: Date(timeIntervalSince1970: 2_095_956_000))
    }

    @Test func `tells what has changed since a cursor`() async throws {
        let humon = try await Server.shared.get().newUser()
        let id = try await humon.events.create(draft("Jazz"))
        let first = try await humon.changes.page(region)
        try await humon.events.delete(id)
        let second = try await humon.changes.page(region, since: first.cursor, wait: .seconds(5))
        let mine = try await humon.changes.page(.mine)

        #expect(first.changes.map(\.operation) == [.enter])
        #expect(first.changes.first?.event?.name == "Jazz")
        #expect(first.changes.first?.version?.hasPrefix("\"") == true)
        #expect(first.hasMore == false)
        #expect(second.changes.map(\.operation) == [.leave])
        #expect(second.changes.map(\.id) == [id])
        #expect(mine.changes == [])
        do {
            _ = try await humon.changes.page(.mine, since: first.cursor)
            Issue.record("The cursor is of another filter.")
        } catch {
            #expect(error.kind == .gone)
        }
    }

    @Test func `streams what happens, and ends with the token`() async throws {
        let humon = try await Server.shared.get().newUser()
        var stream = humon.changes.stream(.mine, since: .now).makeAsyncIterator()
        guard case .ready = try await stream.next() else { throw CancellationError() }
        let id = try await humon.events.create(draft("Jazz"))
        let created = try await change(in: &stream)
        let attendance = try await humon.attendances.attend(id)
        var attended = try await change(in: &stream)
        // A change can come twice.
        while attended?.type == "event" { attended = try await change(in: &stream) }
        try await humon.session.signOut(losingUser: true)

        #expect(created?.event?.id == id)
        #expect(attended?.attendance?.id == attendance)
        #expect(attended?.attendance?.event?.name == "Jazz")
        while let later = try await change(in: &stream) {
            #expect([id, attendance].contains(later.id))
        }
        #expect(try await stream.next() == nil)
    }

    @Test func `closes a stream that nobody reads`() async throws {
        let server = try Server("--limit-streams", "1")
        let humon = try await server.newUser()
        for try await event in humon.changes.stream(region, since: .now) {
            guard case .ready = event else { throw CancellationError() }
            break
        }

        // There is room for one stream, and another attempt comes after a pause.
        var stream = humon.changes.stream(region, since: .now).makeAsyncIterator()
        guard case .ready = try await stream.next() else { throw CancellationError() }
    }

    /// Returns the next change, or nil at the end; a busy machine also gets positions.
    private func change(in stream: inout ChangeStream) async throws -> Change? {
        while let event = try await stream.next() {
            if case .change(let change, .some) = event { return change }
        }
        return nil
    }
}
