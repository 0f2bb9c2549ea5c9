import Cells

/// The order of events by owner, then by id.
struct OwnedKey: BitwiseCopyable, Comparable, Sendable {
    let ownerID: Int64
    let id: Int64

    static func < (one: OwnedKey, other: OwnedKey) -> Bool { one.rank < other.rank }

    private var rank: Int128 { Int128(ordering: ownerID, id) }
}

/// Where and about when an owner's event is.
struct OwnedEvent: BitwiseCopyable, Equatable, Sendable {
    let cell: CellKey
    let times: RoughTimes
}

/// The start and the end of an event in units of about 2 minutes, rounded down; an event without an
/// end counts as ended at its start.
///
/// They exclude most events outside of a time window, and are half as large as exact times.
struct RoughTimes: BitwiseCopyable, Equatable, Sendable {
    let start: Int32
    let end: Int32

    /// A unit has 2¹⁷ ms, so that all times that can be written fit.
    private static let bits: Int64 = 17

    init(_ values: FilterValues) {
        start = Self.rounded(values.startedAt)
        end = Self.rounded(values.leastEnd)
    }

    /// Returns a time in ms since 1970 in units, rounded down.
    static func rounded(_ milliseconds: Int64) -> Int32 {
        Int32(clamping: milliseconds >> bits)
    }
}
