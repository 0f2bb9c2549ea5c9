import Events
import Model
import SQLite
import StorageSupport
import System
import Testing

@testable import SQLiteStorage

/// The loading of all events into memory.
@Suite struct EventLoaderTests {
    private let storage: StorageFixture
    private let index: LivingEventIndex
    private let owner: User

    init() async throws {
        storage = try StorageFixture(keepsEvents: true)
        index = try #require(storage.eventIndex)
        owner = try await storage.user()
        _ = try storage.store(
            (1...9).map { id in
                let place = EventAttributes.at(Double(id), -Double(id), name: "event \(id)")
                return EventRecord(id: Int64(id) * 10, ownerID: owner.id, attributes: place)
            }
        )
        index.forget()
    }

    /// Each way to divide the events into transactions and parts.
    @Test(arguments: [(1, 0), (2, 0), (2, 500), (8, 0), (9, 0), (10, 0), (4, 1_000_000)])
    func loadsAllEventsInSeveralSteps(events: Int64, bytes: Int) throws {
        var steps = EventLoader.Steps()
        steps.events = events
        steps.bytes = bytes

        #expect(storage.loader(of: index, steps: steps).load())

        #expect(missingIDs() == [])
        #expect(storage.loader(of: index).load())
        #expect(missingIDs() == [])
    }

    @Test(arguments: [0, 50])
    func keepsNoContentsThatNeedTooMuchMemory(bytes: Int) throws {
        var steps = EventLoader.Steps()
        steps.events = 1
        let index = LivingEventIndex(contentBytes: bytes)

        #expect(storage.loader(of: index, steps: steps).load())

        let position = try #require(index.position)
        let snapshot = try #require(index.current(at: position))
        #expect(!snapshot.keepsContents)
        #expect(snapshot.eventCount(ofOwner: owner.id) == 9)
        #expect(index.nextNeed == nil)
    }

    @Test func failsWithTheDatabase() throws {
        let other = try Connection(storage.configuration, .readWrite)
        try other.run("ALTER TABLE events RENAME TO elsewhere")

        #expect(!storage.loader(of: index).load())
        #expect(index.nextNeed == .events)

        try other.run("ALTER TABLE elsewhere RENAME TO events")
        #expect(storage.loader(of: index).load())
        #expect(missingIDs() == [])
    }

    /// Each event that is read adds another one, so only `stop` can end the load.
    @Test func canBeStoppedDuringALoad() async throws {
        let writer = storage.database.writer
        let ownerID = owner.id
        let hasBegun = Semaphore()
        let representation = EventRepresentation(
            event: { event in
                let end = Semaphore()
                writer.write { connection in
                    try EventRow(event.attributes, ownerID: ownerID, hidden: nil)
                        .insert(id: nil, on: connection)
                } completion: { _ in
                    end.signal()
                }
                end.wait(atMostMilliseconds: nil)
                hasBegun.signal()
                return []
            }
        )
        var steps = EventLoader.Steps()
        steps.events = 1
        let loader = storage.loader(of: index, representation, steps: steps)
        try loader.start()
        hasBegun.wait(atMostMilliseconds: nil)

        loader.stop()

        #expect(index.nextNeed != nil)
    }

    /// The ids of events that are not in memory.
    private func missingIDs() -> [Int64] {
        let snapshot = storage.database.eventsInMemory
        return (Int64(1)...9).map { $0 * 10 }
            .filter { snapshot?.publicEvents.content(of: $0) == nil }
    }
}
