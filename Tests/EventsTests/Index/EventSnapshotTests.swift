import Foundation
import Randomness
import Testing
import Time

@testable import Events

/// All events in memory, compared with a dictionary of the same events.
@Suite struct EventSnapshotTests {
    @Test(arguments: [1, 20, 3000])
    func holdsWhatADictionaryHolds(changesAtOnce: Int) {
        var generator = SeededGenerator(seed: UInt64(changesAtOnce))
        var snapshot = EventSnapshot()
        var model: [Int64: EventChange.Content] = [:]
        let total = changesAtOnce == 1 ? 1500 : 12_000
        for _ in 0..<(total / changesAtOnce) {
            var changes: [EventChange] = []
            for _ in 0..<changesAtOnce {
                let id = Int64.random(in: 1...4000, using: &generator)
                let isRemoval = generator.next() % 3 == 0
                let content = isRemoval ? nil : content(id, using: &generator)
                changes.append(EventChange(id: id, content: content))
                model[id] = content
            }
            snapshot.apply(changes)
        }

        #expect(model.count > 300)
        expect(snapshot, equals: model, using: &generator)
    }

    @Test func isEmptyAgainAfterTheLastRemoval() {
        var generator = SeededGenerator(seed: 1)
        var snapshot = EventSnapshot()
        let ids = Array(Int64(1)...900)
        snapshot.apply(ids.map { EventChange(id: $0, content: content($0, using: &generator)) })
        #expect(snapshot.byteCount > 900 * 60)

        for part in [ids.prefix(1), ids.dropFirst().prefix(600), ids.dropFirst(601)] {
            snapshot.apply(part.map { EventChange(id: $0, content: nil) })
        }

        #expect(snapshot.byteCount == 0)
        #expect(snapshot.content(of: 1) == nil)
        #expect(nearest(to: (1, 0, 0), in: snapshot, limit: 5) == [])
        snapshot.apply([EventChange(id: 7, content: content(7, using: &generator))])
        #expect(nearest(to: (1, 0, 0), in: snapshot, limit: 5) == [7])
    }

    /// An insert changes the summary of many leaves without looking at all of them.
    @Test func summarizesLeavesAfterEachChange() {
        var generator = SeededGenerator(seed: 3)
        var snapshot = EventSnapshot()
        for round in 0..<300 {
            snapshot.apply(
                (0..<40).map { _ in
                    let id = Int64.random(in: 1...6000, using: &generator)
                    guard round < 100 || generator.next() % 3 > 0 else {
                        return EventChange(id: id, content: nil)
                    }
                    let start = Int64.random(in: 0...1_000_000, using: &generator)
                    let content = EventChange.Content(
                        point: generator.point(),
                        values: FilterValues(startedAt: start, end: start + id % 1000, ownerID: 1),
                        json: [1]
                    )
                    return EventChange(id: id, content: content)
                }
            )
            for (branch, whole) in snapshot.places.summaries.enumerated() {
                let parts = snapshot.places.summaries(ofBranch: branch)
                #expect(whole.count == parts.reduce(0) { $0 + $1.count })
                #expect(whole.firstStart == parts.map(\.firstStart).min())
                #expect(whole.lastEnd == parts.map(\.lastEnd).max())
                let reach = parts.map { whole.distance(from: $0.center) + $0.radius }.max() ?? 0
                #expect(reach <= whole.radius)
            }
        }
        #expect(snapshot.places.summaries.count > 0)
    }

    @Test func copiesKeepTheirEvents() {
        var generator = SeededGenerator(seed: 2)
        var snapshot = EventSnapshot()
        var models: [([Int64: EventChange.Content], EventSnapshot)] = []
        var model: [Int64: EventChange.Content] = [:]
        for round in 0..<8 {
            let changes = (0..<300).map { _ in
                let id = Int64.random(in: 1...900, using: &generator)
                let isRemoval = generator.next() % 4 == 0
                return EventChange(
                    id: id,
                    content: isRemoval ? nil : content(id + Int64(round), using: &generator)
                )
            }
            for change in changes { model[change.id] = change.content }
            snapshot.apply(changes)
            models.append((model, snapshot))
        }

        for (model, copy) in models { expect(copy, equals: model, using: &generator) }
    }

    @Test func theLatestChangeOfAnEventWins() {
        let first = EventChange.Content(point: (1, 0, 0), json: [1])
        let second = EventChange.Content(point: (0, 1, 0), json: [2, 2])
        var snapshot = EventSnapshot()

        snapshot.apply([
            EventChange(id: 1, content: first), EventChange(id: 2, content: first),
            EventChange(id: 1, content: second), EventChange(id: 2, content: nil),
        ])

        #expect(snapshot.content(of: 1) == [2, 2])
        #expect(snapshot.content(of: 2) == nil)
        #expect(nearest(to: (1, 0, 0), in: snapshot, limit: 5) == [1])
    }

    /// Their times, which the list of the owner knows about, change without their places.
    @Test(arguments: [false, true])
    func findsAnOwnersEventsInAWindowAfterTheirTimesHaveChanged(isDescending: Bool) {
        let hour: Int64 = 3_600_000
        var snapshot = EventSnapshot()
        for shift in [0, 1000] as [Int64] {
            snapshot.apply(
                (1...500).map { id in
                    let start = (Int64(id) + shift) * hour
                    let values = FilterValues(startedAt: start, end: start + hour, ownerID: 7)
                    return EventChange(
                        id: Int64(id),
                        content: .init(point: (1, 0, 0), values: values, json: [1])
                    )
                }
            )
            var filter = EventFilter()
            filter.window.from = Timestamp(milliseconds: (100 + shift) * hour)
            filter.window.to = Timestamp(milliseconds: (140 + shift) * hour)
            let expected = isDescending ? (100...139).reversed() : Array(Int64(100)...139)
            for maximum in [1, 2, 3, 20, .max] {
                let found = owned(
                    by: 7,
                    in: snapshot,
                    isDescending: isDescending,
                    filter,
                    maximumReads: maximum
                )
                #expect(found == expected, "\(maximum)")
            }
        }
    }

    /// A search with such a small budget ends soon, and the next one continues where it ended.
    @Test(arguments: [false, true])
    func endsAfterTheMaximumOfReads(isDescending: Bool) {
        var snapshot = EventSnapshot()
        snapshot.apply(
            (1...500).map { EventChange(id: $0, content: .init(point: (1, 0, 0))) }
        )
        var filter = EventFilter()
        filter.window.from = Timestamp.latest
        for sequence in [EventSequence.owned(by: 1), .ids, .listed(Array(1...500))] {
            var read = EventRead(sequence: sequence, filter: filter, maximumReads: 3)
            read.isDescending = isDescending

            let end = snapshot.forEachMatch(of: read) { Issue.record("\($0)") }

            #expect(end.count == 3)
            #expect(!end.isComplete)
            #expect(end.last?.key == (isDescending ? 498 : 3))
        }
    }

    @Test func keepsNoContentsUnlessItIsMeantTo() {
        var snapshot = EventSnapshot(keepsContents: false)
        snapshot.apply([EventChange(id: 1, content: .init(point: (1, 0, 0), json: [1, 2]))])

        #expect(snapshot.content(of: 1) == nil)
        #expect(snapshot.contentBytes == 0)
        #expect(nearest(to: (1, 0, 0), in: snapshot, limit: 5) == [1])
        #expect(snapshot.events(of: [], from: nil, UserDirectory()) == nil)
    }

    /// The expectation for evenly spread places is 1.44 times the number, because the angle is 1.2
    /// times as large as for just enough of them.
    @Test func aLikelyAngleContainsMostlyEnoughPlaces() throws {
        var generator = SeededGenerator(seed: 20)
        let points = (1...20_000).map { _ in generator.point() }
        var snapshot = EventSnapshot()
        snapshot.apply(
            zip(Int64(1)..., points).map { id, point in
                EventChange(id: id, content: .init(point: point, json: [0]))
            }
        )
        var counts: [Int] = []
        for _ in 1...300 {
            let origin = generator.point()
            let angle = try #require(snapshot.likelyAngle(around: CellKey(origin), for: 20))
            let chord = 2 * sin(angle / 2)
            counts.append(
                points.count { point in
                    let (x, y, z) = (point.x - origin.x, point.y - origin.y, point.z - origin.z)
                    return x * x + y * y + z * z <= chord * chord
                }
            )
        }
        let mean = Double(counts.reduce(0, +)) / 300
        #expect(mean > 25 && mean < 35, "\(mean)")
        #expect(counts.count { $0 >= 20 } > 250, "\(counts.sorted().prefix(50))")
        #expect(EventSnapshot().likelyAngle(around: CellKey((1, 0, 0)), for: 20) == nil)
    }

    private func content(
        _ id: Int64,
        using generator: inout SeededGenerator
    ) -> EventChange.Content {
        let spread = generator.next() % 2 == 0 ? 1 : 0.01
        let x = 1 + Double.random(in: -spread...spread, using: &generator)
        let y = Double.random(in: -spread...spread, using: &generator)
        let z = Double.random(in: -spread...spread, using: &generator)
        let size = Int.random(in: 1...300, using: &generator)
        return EventChange.Content(
            point: normalized(x, y, z),
            ownerID: Int64.random(in: 1...9, using: &generator),
            json: (0..<size).map { UInt8(truncatingIfNeeded: id &+ Int64($0)) }
        )
    }

    private func nearest(
        to origin: UnitVector,
        in snapshot: EventSnapshot,
        within radius: Double = 30_000,
        limit: Int
    ) -> [Int64]? {
        var filter = EventFilter()
        let place = EventChange.Content(point: origin).coordinate
        filter.origin = DirectionOrigin(place)
        filter.radius = SearchRadius(radius, .kilometres)
        let query = EventQuery(filter: filter, order: .distance, limit: limit)
        let bounds = SearchBounds(entries: .max, allowsPartialPages: false)
        return try? EventSearch(query, bounds).page(in: snapshot).matches.map(\.id)
    }

    /// Returns the events of an owner, read at once or a few at a time.
    private func owned(
        by owner: Int64,
        after id: Int64? = nil,
        in snapshot: EventSnapshot,
        isDescending: Bool = false,
        _ filter: EventFilter = EventFilter(),
        maximumReads: Int = .max
    ) -> [Int64] {
        var read = EventRead(
            sequence: .owned(by: owner),
            filter: filter,
            maximumReads: maximumReads
        )
        read.start = id.map { EventPosition(key: $0, id: $0) }
        read.isDescending = isDescending
        var ids: [Int64] = []
        while true {
            let end = snapshot.forEachMatch(ownedBy: owner, of: read) {
                ids.append($0.id)
            }
            if end.isComplete { return ids }
            guard let last = end.last, last != read.start else {
                Issue.record("no progress from \(String(describing: read.start))")
                return ids
            }
            read.start = last
        }
    }

    private func expect(
        _ snapshot: EventSnapshot,
        equals model: [Int64: EventChange.Content],
        using generator: inout SeededGenerator
    ) {
        for id in Int64(-1)...4001 {
            #expect(
                snapshot.content(of: id).map { Array($0) } == model[id]?.json
            )
        }
        for owner in Int64(0)...10 {
            let ids = model.filter { $0.value.values.ownerID == owner }.map(\.key).sorted()
            #expect(owned(by: owner, in: snapshot) == ids)
            #expect(owned(by: owner, in: snapshot, maximumReads: 5) == ids)
            let middle = ids.isEmpty ? 7 : ids[ids.count / 2]
            #expect(owned(by: owner, after: middle, in: snapshot) == ids.filter { $0 > middle })
            #expect(
                owned(by: owner, after: middle, in: snapshot, isDescending: true)
                    == ids.filter { $0 < middle }.reversed()
            )
        }
        // A snapshot that was filled at once has no traces of former changes.
        var fresh = EventSnapshot()
        fresh.apply(model.map { EventChange(id: $0.key, content: $0.value) })
        for _ in 1...5 {
            let origin = content(1, using: &generator).point
            let place = DirectionOrigin(EventChange.Content(point: origin).coordinate)
            let sorted = model.map { id, content in
                (place.millimetres(to: content.point), id)
            }.sorted { $0 < $1 }
            for radius in [0.0, 5, 200, 4000, 30_000] {
                let inside = sorted.prefix { Double($0.0) / 1e6 <= radius }
                for limit in [1, 30, 5000] {
                    let expected = inside.prefix(limit).map(\.1)
                    for copy in [snapshot, fresh] {
                        let found = nearest(to: origin, in: copy, within: radius, limit: limit)
                        #expect(found == expected, "\(limit) within \(radius)")
                    }
                }
            }
        }
    }
}
