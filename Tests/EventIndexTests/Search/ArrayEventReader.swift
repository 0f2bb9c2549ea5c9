import Cells
import EventIndex
import Model
import Time

/// A reader of events in arrays, one for each sequence, which counts its reads.
final class ArrayEventReader: EventReader {
    private let byKey: [SearchedEvent]
    private let byStart: [SearchedEvent]
    private let byID: [SearchedEvent]
    private let areInMemory: Bool
    /// The number of reads, and the number of compared events.
    private(set) var readCount = 0
    private(set) var eventCount = 0

    init(_ events: [SearchedEvent], areInMemory: Bool = false) {
        byKey = events.sorted { ($0.key, $0.id) < ($1.key, $1.id) }
        byStart = events.sorted { ($0.startedAt, $0.id) < ($1.startedAt, $1.id) }
        byID = events.sorted { $0.id < $1.id }
        self.areInMemory = areInMemory
    }

    var hasPlacesInMemory: Bool { areInMemory }

    var rowCost: Int { 1 }

    func forEachMatch(
        of read: EventRead,
        _ takeGroup: (EventGroup) -> Void,
        _ body: (EventMatch) -> Void
    ) throws -> EventReadEnd {
        readCount += 1
        let end: EventReadEnd
        switch read.sequence {
        case .region: end = scan(byKey, read, key: nil, body)
        case .distances:
            guard let origin = read.filter.origin else { return .unread }
            let distance = { (event: SearchedEvent) in origin.millimetres(to: event.point) }
            let events = byID.sorted { (distance($0), $0.id) < (distance($1), $1.id) }
            end = scan(events, read, key: distance, body)
        case .places(let ranges):
            end = scan(places(in: ranges), read, key: nil, body)
        case .starts(let window):
            let events = byStart.filter { event in
                event.startedAt < window.to?.milliseconds ?? .max
                    && (event.isOpen
                        ? event.startedAt >= window.openStart
                        : event.end >= window.from?.milliseconds ?? .min)
            }
            end = scan(events, read, key: \.startedAt, body)
        case .ids: end = scan(byID, read, key: \.id, body)
        case .owned(let owner):
            end = scan(byID.filter { $0.ownerID == owner }, read, key: \.id, body)
        case .attended(let user):
            end = scan(byID.filter { $0.attendees.contains(user) }, read, key: \.id, body)
        }
        eventCount += end.count
        return end
    }

    private func places(in ranges: [ClosedRange<CellKey>]) -> [SearchedEvent] {
        ranges.flatMap { range in
            byKey[index { $0 < range.lowerBound }..<index { $0 <= range.upperBound }]
        }
    }

    /// Returns the number of leading events that meet a condition.
    private func index(where isBefore: (CellKey) -> Bool) -> Int {
        var (lower, upper) = (0, byKey.count)
        while lower < upper {
            let middle = (lower + upper) / 2
            if isBefore(byKey[middle].key) { lower = middle + 1 } else { upper = middle }
        }
        return lower
    }

    private func scan(
        _ events: [SearchedEvent],
        _ read: EventRead,
        key: ((SearchedEvent) -> Int64)?,
        _ body: (EventMatch) -> Void
    ) -> EventReadEnd {
        let matcher = EventMatcher(read)
        var end = EventReadEnd(count: 0, isComplete: true)
        var matchCount = 0
        for event in read.isDescending ? events.reversed() : events {
            let position = key.map { EventPosition(key: $0(event), id: event.id) }
            if let start = read.start, let position,
                !start.precedes(position, isDescending: read.isDescending)
            {
                continue
            }
            guard end.count < read.maximumReads, matchCount < read.maximumMatches else {
                end.isComplete = false
                return end
            }
            end.count += 1
            end.last = position
            let distance = matcher.distance(event.point, event.values) { event.coordinate }
            guard let distance else { continue }
            matchCount += 1
            body(
                EventMatch(
                    id: event.id,
                    point: event.point,
                    startedAt: event.startedAt,
                    millimetres: distance,
                    record: .id
                )
            )
        }
        return end
    }
}

/// A reader of places in a snapshot, and of arrays for everything else.
struct SnapshotEventReader: EventReader {
    private let memory: MemoryEventReader
    private let others: ArrayEventReader

    init(_ events: [SearchedEvent]) {
        memory = Self.memory(events)
        others = ArrayEventReader(events)
    }

    var snapshot: EventSnapshot { memory.snapshot }

    var hasPlacesInMemory: Bool { true }

    var rowCost: Int { memory.rowCost }

    func forEachMatch(
        of read: EventRead,
        _ takeGroup: (EventGroup) -> Void,
        _ body: (EventMatch) -> Void
    ) throws -> EventReadEnd {
        hasInMemory(read.sequence)
            ? memory.forEachMatch(of: read, takeGroup, body)
            : try others.forEachMatch(of: read, body)
    }

    /// Returns a reader of a snapshot with these events.
    static func memory(_ events: [SearchedEvent]) -> MemoryEventReader {
        let representation = EventRepresentation(
            event: { bytes(of: $0.attributes.coordinate) },
            coordinate: coordinate,
            list: (opening: 0, separator: 0, closing: 0)
        )
        var snapshot = EventSnapshot()
        snapshot.apply(
            events.map { event in
                EventChange(
                    id: event.id,
                    content: EventChange.Content(
                        point: event.point,
                        values: event.values,
                        representation: representation.template.pack(
                            bytes(of: event.coordinate).span
                        )
                    )
                )
            }
        )
        return MemoryEventReader(snapshot, representation)
    }

    private static func bytes(of place: Coordinate) -> [UInt8] {
        [place.latitude, place.longitude].flatMap { number in
            (0..<8).map { UInt8(truncatingIfNeeded: number.bitPattern >> (8 * $0)) }
        }
    }

    private static func coordinate(_ bytes: Span<UInt8>) -> Coordinate? {
        guard bytes.count == 16 else { return nil }
        let numbers = [0, 8].map { start in
            let bits = (0..<8).reduce(0 as UInt64) { bits, index in
                bits | UInt64(bytes[start + index]) << (8 * UInt64(index))
            }
            return Double(bitPattern: bits)
        }
        return Coordinate(latitude: numbers[0], longitude: numbers[1])
    }
}

/// A reader of events in arrays that behaves like a database on another machine.
final class RemoteArrayReader: RemoteEventReader {
    let memory: MemoryEventReader?
    private let reader: ArrayEventReader
    /// Called after each read.
    private let afterRead: () throws -> Void

    init(
        _ events: [SearchedEvent],
        memory: MemoryEventReader? = nil,
        afterRead: @escaping () throws -> Void = {}
    ) {
        self.memory = memory
        reader = ArrayEventReader(events)
        self.afterRead = afterRead
    }

    var readCount: Int { reader.readCount }

    func matches(of read: EventRead) async throws -> EventBatch {
        var matches: [EventMatch] = []
        let end = try reader.forEachMatch(of: read) { matches.append($0) }
        try afterRead()
        return EventBatch(matches, end)
    }
}
