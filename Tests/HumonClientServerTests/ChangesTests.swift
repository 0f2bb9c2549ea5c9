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
        let ready = try await stream.next()
        let id = try await humon.events.create(draft("Jazz"))
        let change = try await stream.next()
        let attendance = try await humon.attendances.attend(id)
        let attended = try await stream.next()
        try await humon.session.signOut(losingUser: true)

        guard case .ready = ready else { throw HumonError.unexpected }
        guard case .change(let created, .some) = change, case .change(let own, .some) = attended
        else {
            throw HumonError.unexpected
        }
        #expect(created.event?.id == id)
        #expect(own.attendance?.id == attendance)
        #expect(own.attendance?.event?.name == "Jazz")
        // A change can come twice.
        while let event = try await stream.next() {
            guard case .change(let change, .some) = event else { throw HumonError.unexpected }
            #expect([id, attendance].contains(change.id))
        }
        #expect(try await stream.next() == nil)
    }
}

extension HumonError {
    fileprivate static let unexpected = CancellationError()
}
