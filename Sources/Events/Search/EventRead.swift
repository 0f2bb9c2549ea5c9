/// A sequence of events that a snapshot can read.
enum EventSequence: Sendable {
    /// The events that are in the region of the read's filter or near it, in any order.
    case region
    /// All events in the order of their distances from the filter's point, then of their ids.
    case distances
    /// The events that can take place in the filter's window, in the order of starts and ids.
    case starts
    /// All events in the order of their ids.
    case ids
    /// The events of an owner, in the order of their ids.
    case owned(by: Int64)
    /// The events with these ids, which are in rising order.
    case listed([Int64])

    /// The time to read an event, divided by that of an event whose neighbours are read as well.
    var cost: Int {
        switch self {
        case .region, .distances: 1
        case .starts, .ids, .owned, .listed: Self.listCost
        }
    }

    /// The cost of an event that is looked up on its own.
    static let listCost = 8
    /// The number of skipped events that take as long as comparing one.
    static let skippedPerRead = 16
}

/// A read of a part of a sequence.
struct EventRead: Sendable {
    let sequence: EventSequence
    /// The filter, which does not check attendance: the sequence `.listed` does.
    let filter: EventFilter
    /// The filter's conditions on terms; nil if it has none.
    var terms: TermMatcher?
    /// The greatest angle between the filter's point and a matching event, in radians.
    var reach = Double.infinity
    /// The position before the first event to read, or nil to read from the start.
    var start: EventPosition?
    /// Whether the sequence is read from its end.
    var isDescending = false
    /// The maximum number of events that are compared with the filter.
    var maximumReads: Int
    /// The number of matching events after which it ends.
    var maximumMatches = Int.max
    /// The needed matches of a sequence without an order; nil if all are needed.
    ///
    /// The read may leave out the others.
    var needed: NeededMatches?
}

/// The first matches in an order.
struct NeededMatches: Sendable {
    let order: EventOrder
    /// The position after which matches are needed, or nil for the first ones.
    let start: EventPosition?
    let count: Int
}

/// How a read has ended.
struct EventReadEnd: Sendable {
    /// The number of events that were compared with the filter.
    var count: Int
    /// Whether the sequence has no more events.
    var isComplete: Bool
    /// The position to continue from.
    ///
    /// Nil if the sequence has no order. It can also be nil if the sequence has no more events.
    var last: EventPosition?

    /// The end of a read of a sequence that is too long.
    static let unread = EventReadEnd(count: 0, isComplete: false)
}

/// An event that matches a filter.
package struct EventMatch: BitwiseCopyable, Sendable {
    package let id: Int64
    package let point: UnitVector
    /// ms since 1970; 0 in a read of `.distances`, which doesn't need it.
    let startedAt: Int64
    /// The distance from the filter's point in mm; 0 without a point.
    package let millimetres: Int64
    let location: EventLocation

    /// Creates the match of the event at an index of a leaf.
    @inline(__always)
    init(
        at index: Int,
        of leaf: PlaceLeaf,
        _ position: SortedLeaves<PlaceLeaf>.Position,
        startedAt: Int64 = 0,
        millimetres: Int64 = 0
    ) {
        id = leaf.ids[index]
        point = leaf.points[index]
        self.startedAt = startedAt
        self.millimetres = millimetres
        location = EventLocation(position, index)
    }

    /// Returns the event with its direction from a point, if there is one.
    package func event(_ content: FoundEvent.Content, from origin: DirectionOrigin?) -> FoundEvent {
        let direction = origin.map { Direction(from: $0, to: point, millimetres: millimetres) }
        return FoundEvent(id: id, content: content, direction: direction)
    }

    /// Returns its position in an order.
    func position(in order: EventOrder) -> EventPosition {
        switch order {
        case .distance: EventPosition(key: millimetres, id: id)
        case .start: EventPosition(key: startedAt, id: id)
        case .id: EventPosition(key: id, id: id)
        }
    }
}

extension EventSnapshot {
    /// Calls `body` with each matching event of a part of a sequence, in the sequence's order.
    func forEachMatch(of read: EventRead, _ body: (EventMatch) -> Void) -> EventReadEnd {
        switch read.sequence {
        case .region: forEachMatch(inRegionOf: read, body)
        case .distances: forEachNearestMatch(of: read, body)
        case .starts: forEachMatch(byStart: read, body)
        case .ids: forEachMatch(byID: read, body)
        case .owned(let owner): forEachMatch(ownedBy: owner, of: read, body)
        case .listed(let ids): forEachMatch(among: ids, of: read, body)
        }
    }
}
