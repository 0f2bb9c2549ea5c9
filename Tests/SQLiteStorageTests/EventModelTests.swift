import Events
import Glibc
import Model
import Randomness
import SQLite
import StorageSupport
import struct Synchronization.Atomic
import System
import Testing

@testable import SQLiteStorage

/// Events in memory, compared with a model while several threads read and write.
///
/// Each thread has a reader of its own and a region that only it changes. So after each
/// acknowledged write it knows exactly what must be there, whatever the others do.
@Suite struct EventModelTests {
    private let storage: StorageFixture
    private let index: LivingEventIndex
    private let owner: User
    private static let writerCount = 4

    init() async throws {
        storage = try StorageFixture(keepsEvents: true)
        index = try #require(storage.eventIndex)
        owner = try await storage.user()
    }

    /// Without another process, all events are always in memory.
    @Test func areInMemoryWhileThreadsWrite() async throws {
        let old = try storedRegion(0, eventCount: 40)
        let hasEnded = Flag()

        try await withThrowingTaskGroup(of: [Region].self) { group in
            group.addTask { [self] in
                try await Self.run(storage) {
                    var generator = SeededGenerator(seed: 0)
                    var rounds = 0
                    while rounds < 20 || !hasEnded.isSet {
                        #expect(storage.database.eventsInMemory != nil)
                        for id in old.events.keys {
                            let inMemory = storage.events.representationInMemory(of: id, for: nil)
                            let stored = try await storage.events.representation(of: id, for: nil)
                            #expect(inMemory != nil && inMemory == stored)
                        }
                        try await expect(old, using: &generator)
                        rounds += 1
                    }
                    return []
                }
            }
            group.addTask { [self] in
                defer { hasEnded.set() }
                return try await writeInAllRegions(80) { _, _ in
                    #expect(storage.database.eventsInMemory != nil)
                }
            }
            let regions = try await group.reduce(into: [old]) { $0 += $1 }
            try await expectAll(regions)
        }
    }

    /// A program without the writer's lock commits now and then, so that all events are loaded
    /// again, a few at a time, while the threads go on.
    @Test func areLoadedAgainWhileThreadsWrite() async throws {
        var foreign = try storedRegion(0, eventCount: 30)
        let names = Mutex<[Int64: String]>([:])
        let memoryReads = Mutex(0)
        let loader = try LoadingThread(storage, index)

        let regions = try await writeInAllRegions(60) { [foreign] number, step in
            if storage.database.eventsInMemory != nil {
                memoryReads.withLock { $0 += 1 }
            }
            guard number == 1, step % 10 == 3 else { return }
            let id = foreign.events.keys.sorted()[step % foreign.events.count]
            let name = "elsewhere \(step)"
            try Connection(storage.configuration, .readWrite)
                .run("UPDATE events SET name = ? WHERE id = ?", .text(name), .integer(id))
            names.withLock { $0[id] = name }
            let expected = foreign.renamed(names.withLock { $0 })
            var generator = SeededGenerator(seed: UInt64(step))
            try await expect(expected, using: &generator)
            // Until the writer has noticed the commit, the old events are still loaded.
            while storage.database.eventsInMemory == nil { await Task.yield() }
            try await expect(expected, using: &generator)
        }

        loader.stop()
        #expect(memoryReads.withLock { $0 } >= 6)
        foreign = foreign.renamed(names.withLock { $0 })
        storage.loadEvents()
        try await expectAll(regions + [foreign])
    }

    /// Changes each region from a thread of its own, and returns what is in it then.
    private func writeInAllRegions(
        _ count: Int,
        _ didWrite: @escaping @Sendable (_ region: Int, _ step: Int) async throws -> Void
    ) async throws -> [Region] {
        try await withThrowingTaskGroup(of: Region.self) { group in
            for number in 1...Self.writerCount {
                group.addTask { [self] in
                    try await Self.run(storage) {
                        var region = Region(number)
                        var generator = SeededGenerator(seed: UInt64(number))
                        for step in 0..<count {
                            try await change(&region, "\(number), \(step)", using: &generator)
                            try await expect(region, using: &generator)
                            try await didWrite(number, step)
                        }
                        return region
                    }
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }

    private static func run<T: Sendable>(
        _ storage: StorageFixture,
        _ body: @escaping @Sendable () async throws -> T
    ) async throws -> T {
        try await BoundThread.run(storage.database.readers, body)
    }

    /// Creates, moves or deletes an event of a region.
    private func change(
        _ region: inout Region,
        _ name: String,
        using generator: inout SeededGenerator
    ) async throws {
        let attributes = region.attributes(name, using: &generator)
        let known = region.events.keys.sorted().randomElement(using: &generator)
        switch (known, generator.next() % 4) {
        case (let id?, 0):
            try await storage.events.delete(id, ownerID: owner.id)
            region.events[id] = nil
            #expect(try await storage.events.representation(of: id, for: nil) == nil)
        case (let id?, 1):
            try await storage.events.update(id, ownerID: owner.id) { _ in attributes }
            try await expectStored(id, attributes, in: &region)
        default:
            let id = try await storage.events.create(attributes, token: TokenDigest(1))
            try await expectStored(#require(id), attributes, in: &region)
        }
    }

    private func expectStored(
        _ id: Int64,
        _ attributes: EventAttributes,
        in region: inout Region
    ) async throws {
        let event = Event(id: id, ownerID: owner.id, attributes: attributes)
        region.events[id] = event
        let bytes = try await storage.events.representation(of: id, for: nil)
        #expect(bytes == EventRepresentation.text.event(event))
    }

    /// Expects that a search in a region finds what is there.
    private func expect(_ region: Region, using generator: inout SeededGenerator) async throws {
        let origin = region.coordinate(using: &generator)
        let radius: Double = [0.0, 30.0, 200.0].randomElement(using: &generator) ?? 0
        let limit: Int = [1, 7, 1000].randomElement(using: &generator) ?? 1
        let page = try await storage.events.page(
            EventQuery(nearestTo: origin, within: radius, limit: limit)
        )
        let expected = region.nearest(to: origin, within: radius, limit: limit)
        #expect(
            page.rows.map(\.text) == expected.map { "\($0)" },
            "\(limit) within \(radius) of \(origin)"
        )
    }

    /// Expects the events of all regions in the database and in memory.
    private func expectAll(_ regions: [Region]) async throws {
        let all = Region(0, regions.flatMap(\.events.values))
        #expect(storage.database.eventsInMemory != nil)
        for origin in [Coordinate(latitude: 3, longitude: 4), Region(2).center] {
            for limit in [1, 10, 10_000] {
                let expected = all.nearest(to: origin, within: .infinity, limit: limit)
                let stored = try await storage.events
                    .nearest(to: origin, within: .infinity, limit: limit)
                #expect(stored == expected)
                let page = try await storage.events
                    .page(EventQuery(nearestTo: origin, within: .infinity, limit: limit))
                #expect(page.rows.map(\.text) == expected.map { "\($0)" })
            }
        }
    }

    /// Stores some events in a region.
    private func storedRegion(_ number: Int, eventCount: Int) throws -> Region {
        var region = Region(number)
        var generator = SeededGenerator(seed: 99)
        for count in 1...eventCount {
            let attributes = region.attributes("old \(count)", using: &generator)
            let id = try storage.store(attributes, ownerID: owner.id)
            region.events[id] = Event(id: id, ownerID: owner.id, attributes: attributes)
        }
        return region
    }
}

/// The events of a part of the world that is far away from the others.
private struct Region: Sendable {
    let center: Coordinate
    var events: [Int64: Event] = [:]

    init(_ number: Int, _ events: [Event] = []) {
        center = Coordinate(latitude: 10 + Double(number), longitude: Double(number) * 15 - 120)
        for event in events { self.events[event.id] = event }
    }

    func attributes(
        _ name: String,
        using generator: inout SeededGenerator
    ) -> EventAttributes {
        let place = coordinate(using: &generator)
        return .at(place.latitude, place.longitude, name: name)
    }

    /// Returns a place in the region, often its center.
    func coordinate(using generator: inout SeededGenerator) -> Coordinate {
        guard generator.next() % 3 != 0 else { return center }
        return Coordinate(
            latitude: center.latitude + Double.random(in: -0.5...0.5, using: &generator),
            longitude: center.longitude + Double.random(in: -0.5...0.5, using: &generator)
        )
    }

    func renamed(_ names: [Int64: String]) -> Region {
        var region = self
        for (id, name) in names {
            guard let event = events[id] else { continue }
            var attributes = event.attributes
            attributes.name = name
            region.events[id] = Event(id: id, ownerID: event.ownerID, attributes: attributes)
        }
        return region
    }

    func nearest(to origin: Coordinate, within radius: Double, limit: Int) -> [Event] {
        let start = DirectionOrigin(origin)
        return events.values
            .map { event in
                let point = event.attributes.coordinate.unitVector
                return (distance: start.millimetres(to: point), event: event)
            }
            .filter { Double($0.distance) / 1e6 <= radius }
            .sorted { ($0.distance, $0.event.id) < ($1.distance, $1.event.id) }
            .prefix(limit).map(\.event)
    }
}

extension FoundEvent {
    /// The event in the representation of tests.
    fileprivate var text: String {
        switch content {
        case .json(let bytes): String(decoding: bytes, as: UTF8.self)
        case .event(let dated): "\(dated.event)"
        }
    }
}

/// A thread that loads all events whenever that is needed, without pauses.
private final class LoadingThread: Sendable {
    private let hasEnded: Flag
    private let thread: POSIXThread

    init(_ storage: StorageFixture, _ index: LivingEventIndex) throws {
        var steps = EventLoader.Steps()
        steps.events = 16
        steps.bytes = 2000
        let readers = storage.database.readers
        let loader = storage.loader(of: index, steps: steps)
        let hasEnded = Flag()
        thread = try POSIXThread {
            try? readers.bindThread()
            while !hasEnded.isSet {
                if index.nextNeed != nil { _ = loader.load() } else { usleep(100) }
            }
            readers.unbindThread()
        }
        self.hasEnded = hasEnded
    }

    func stop() {
        hasEnded.set()
        thread.join()
    }
}

private final class Flag: Sendable {
    private let value = Atomic(false)

    var isSet: Bool { value.load(ordering: .acquiring) }

    func set() { value.store(true, ordering: .releasing) }
}
