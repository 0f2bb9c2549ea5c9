package import Cells
package import Model

/// A source of events for searches.
///
/// Searches use only this protocol, so they are the same for every storage.
package protocol EventReader {
    /// Whether the places and owners of all events are in memory, and with them the sequences
    /// `.region`, `.distances` and `.owned`.
    var hasPlacesInMemory: Bool { get }

    /// The time to read a row, divided by the time to read an event in memory; 1 without events in
    /// memory.
    var rowCost: Int { get }

    /// Whether it reads the sequence `.distances` well from a position far from its start.
    var readsDistances: Bool { get }

    /// Calls `body` with each matching event of a part of a sequence, in the sequence's order.
    ///
    /// For a read that `takesGroups`, `takeGroup` may get some of them, several at a time, which
    /// `body` then doesn't get.
    ///
    /// - Throws: The errors of the storage.
    func forEachMatch(
        of read: EventRead,
        _ takeGroup: (EventGroup) -> Void,
        _ body: (EventMatch) -> Void
    ) throws -> EventReadEnd
}

extension EventReader {
    package var readsDistances: Bool { hasPlacesInMemory }

    /// Calls `body` with each matching event of a part of a sequence, in the sequence's order.
    ///
    /// - Throws: The errors of the storage.
    package func forEachMatch(
        of read: EventRead,
        _ body: (EventMatch) -> Void
    ) throws -> EventReadEnd {
        try forEachMatch(of: read, { _ in }, body)
    }

    /// Returns whether reading a sequence takes no rows.
    package func hasInMemory(_ sequence: EventSequence) -> Bool {
        switch sequence {
        case .region, .distances, .owned: hasPlacesInMemory
        case .places, .starts, .ids, .attended: false
        }
    }
}

/// A sequence of events that a storage can read.
package enum EventSequence: Sendable {
    /// The events that are in the region of the read's filter or near it, in any order.
    case region
    /// All events in the order of their distances from the filter's point, then of their ids.
    case distances
    /// The events whose keys are in these ranges, in any order.
    case places([ClosedRange<CellKey>])
    /// All events that can take place in a window, in the order of their starts and ids.
    case starts(EventWindow)
    /// All events in the order of their ids.
    case ids
    /// The events of an owner, in the order of their ids.
    case owned(by: Int64)
    /// The events that a user attends, in the order of their ids.
    case attended(by: Int64)
}

/// A read of a part of a sequence.
package struct EventRead: Sendable {
    package let sequence: EventSequence
    /// The filter, which does not check attendance: the sequence `.attended` does.
    package let filter: EventFilter
    /// The greatest angle between the filter's point and a matching event, in radians.
    package var reach = Double.infinity
    /// The position before the first event to read, or nil to read from the start.
    package var start: EventPosition?
    /// Whether the sequence is read from its end.
    package var isDescending = false
    /// The maximum cost of the events that are compared with the filter.
    package var maximumReads: Int
    /// The number of matching events after which it ends.
    package var maximumMatches = Int.max
    /// Whether the matches are useless unless the sequence ends.
    ///
    /// A reader that can find out cheaply then reads nothing of a sequence that is too long.
    package var needsAll = false
    /// Whether a reader may pass on matching events together.
    package var takesGroups = false
    /// What is needed of the matches of a sequence without an order; nil if all are needed.
    ///
    /// A reader may leave out the others.
    package var needed: NeededMatches?
}

/// The first matches in an order.
package struct NeededMatches: Sendable {
    package let order: EventOrder
    /// The position after which matches are needed, or nil for the first ones.
    package let start: EventPosition?
    let count: Int

    /// Whether the order is that of the starts, in either direction.
    package var isByStart: Bool {
        if case .start = order { true } else { false }
    }
}

/// How a read has ended.
package struct EventReadEnd: Sendable {
    /// The number of events that were compared with the filter, also by the storage itself.
    package var count: Int
    /// The cost, if it differs from that of events that the storage returns one by one.
    private let specialCost: Int?
    /// The cost of the read, in events that the storage returns one by one.
    package var cost: Int { specialCost ?? count }
    /// Whether the sequence has no more events.
    package var isComplete: Bool
    /// The position to continue from.
    ///
    /// Nil if the sequence has no order. It can also be nil if the sequence has no more events.
    package var last: EventPosition?

    package init(
        count: Int,
        cost: Int? = nil,
        isComplete: Bool,
        last: EventPosition? = nil
    ) {
        self.count = count
        specialCost = cost
        self.isComplete = isComplete
        self.last = last
    }

    /// The end of a read of a sequence that a storage does not have.
    package static let unread = EventReadEnd(count: 0, isComplete: false)
}

/// An event that matches a filter.
package struct EventMatch: BitwiseCopyable, Sendable {
    /// The location of the event in the storage.
    package enum Record: BitwiseCopyable, Sendable {
        case memory(EventSnapshot.Location)
        /// The index of a row that was read.
        case row(Int)
        /// The storage finds the event by its id.
        case id
    }

    package let id: Int64
    package let point: UnitVector
    /// ms since 1970; 0 in a group and in a read of `.distances` in memory, which don't need it.
    package let startedAt: Int64
    /// The distance from the filter's point in mm; 0 without a point.
    package let millimetres: Int64
    package let record: Record

    package init(
        id: Int64,
        point: UnitVector,
        startedAt: Int64,
        millimetres: Int64,
        record: Record
    ) {
        self.id = id
        self.point = point
        self.startedAt = startedAt
        self.millimetres = millimetres
        self.record = record
    }

    /// Where it is in memory; nil if it was read from a database.
    package var location: EventSnapshot.Location? {
        if case .memory(let location) = record { location } else { nil }
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
