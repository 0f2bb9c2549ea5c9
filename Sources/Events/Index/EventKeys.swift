extension CellKey: KeyedValue {
    var lastEnd: Int64 { .max }
}

/// The order of events by owner, then by id.
struct OwnedKey: BitwiseCopyable, Comparable, Sendable {
    let ownerID: Int64
    let id: Int64

    static func < (one: OwnedKey, other: OwnedKey) -> Bool { one.rank < other.rank }

    private var rank: Int128 { Int128(ordering: ownerID, id) }
}

/// The order of events by start, then by id.
struct StartKey: BitwiseCopyable, Comparable, Sendable {
    /// ms since 1970.
    let startedAt: Int64
    let id: Int64

    static func < (one: StartKey, other: StartKey) -> Bool { one.rank < other.rank }

    private var rank: Int128 { Int128(ordering: startedAt, id) }
}

/// The place and the end of an event in the order of starts.
struct StartedEvent: Equatable, KeyedValue {
    let cell: CellKey
    let lastEnd: Int64
}
