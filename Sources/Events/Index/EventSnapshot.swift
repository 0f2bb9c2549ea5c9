import Glibc

/// All events in memory at one moment, in four orders and by terms, and their contents if these are
/// kept.
///
/// A value; copies share what has not changed. Search it with `EventSearch` and `ClusterSearch`.
package struct EventSnapshot: Sendable {
    /// One object, so that a copy counts one reference.
    private final class Trees: Sendable {
        let trees: EventTrees
        let identity: UInt64

        init(_ trees: EventTrees, identity: UInt64) {
            self.trees = trees
            self.identity = identity
        }
    }

    private static let empty = Trees(EventTrees(TermIndex()), identity: 0)

    private var content: Trees
    /// Whether it keeps the contents of events.
    package let keepsContents: Bool

    package init(keepsContents: Bool = true) {
        self.init(keepsContents: keepsContents, TermIndex())
    }

    /// Creates a snapshot with an empty index of terms.
    init(keepsContents: Bool, _ terms: TermIndex) {
        content = Trees(EventTrees(terms), identity: UInt64.random(in: .min ... .max))
        self.keepsContents = keepsContents
    }

    var places: SortedLeaves<PlaceLeaf> { content.trees.places }
    var owned: SortedLeaves<KeyedLeaf<OwnedKey, CellKey>> { content.trees.owned }
    var starts: SortedLeaves<KeyedLeaf<StartKey, StartedEvent>> { content.trees.starts }
    var ids: SortedLeaves<KeyedLeaf<Int64, CellKey>> { content.trees.ids }

    var terms: TermIndex { content.trees.terms }

    /// The version of the content, unique within the process.
    package var identity: UInt64 { content.identity }

    /// Whether there are no events.
    var isEmpty: Bool { content.trees.places.isEmpty }

    /// The memory of all events, in bytes.
    package var byteCount: Int { content.trees.byteCount }

    /// The part of it that is for their contents.
    package var contentBytes: Int { content.trees.places.contentBytes }

    /// The number of terms that events have.
    package var termCount: Int { content.trees.terms.count }

    /// The memory of the terms in bytes.
    package var termBytes: Int { content.trees.termBytes }

    /// Whether the next changes take some 15 ms more.
    var isApplyDue: Bool { content.trees.terms.isApplyDue }

    /// Returns whether there is no copy, so that changes touch only what they change.
    mutating func isUnique() -> Bool { isKnownUniquelyReferenced(&content) }

    /// Applies the changes in their order; later ones of the same event win.
    ///
    /// O(m log n) for m changes of n events. If there is a copy, two lists that have an entry for
    /// some thousand events are copied as well.
    package mutating func apply(_ changes: [EventChange]) {
        var trees = content.trees
        let identity = content.identity &+ 1
        // Releases the former content, so that the trees can be changed in place.
        content = Self.empty
        trees.apply(changes, keepsContents: keepsContents)
        content = Trees(trees, identity: identity)
    }

    /// Returns the key of the place of the event with this id, or nil if it doesn't exist.
    ///
    /// O(log n).
    func key(of id: Int64) -> PlaceKey? {
        content.trees.cell(of: id).map { PlaceKey(cell: $0, id: id) }
    }

    /// Returns the owner of the event with this id, or nil if it doesn't exist; O(log n).
    func owner(of id: Int64) -> Int64? {
        guard let key = key(of: id), let entry = content.trees.entry(of: key) else { return nil }
        return places[entry.leaf].values[entry.index].ownerID
    }

    /// Returns the place of the event with this id, or nil if it doesn't exist; O(log n).
    func place(of id: Int64) -> Coordinate? {
        guard let key = key(of: id), let entry = content.trees.entry(of: key) else { return nil }
        return places[entry.leaf].coordinates[entry.index]
    }

    /// Returns the content of the event with this id, or nil if it doesn't exist or no contents are
    /// kept; O(log n).
    package func content(of id: Int64) -> ArraySlice<UInt8>? {
        guard keepsContents, let key = key(of: id), let entry = content.trees.entry(of: key) else {
            return nil
        }
        return places[entry.leaf].content(at: entry.index)
    }

    /// Returns the events of matches in this snapshot, or nil if it doesn't keep the contents of
    /// all: then read the rows of the matches by their ids.
    ///
    /// `origin` is the point that they have directions from, if any, and `users` has the names of
    /// their owners.
    package func events(
        of matches: [EventMatch],
        from origin: DirectionOrigin?,
        _ users: UserDirectory
    ) -> [FoundEvent]? {
        guard keepsContents else { return nil }
        var events: [FoundEvent] = []
        events.reserveCapacity(matches.count)
        for match in matches {
            let leaf = places[match.location.position]
            guard let content = leaf.content(at: match.location.index) else { return nil }
            let owner = leaf.values[match.location.index].ownerID
            events.append(match.event(.json(users.naming(owner, in: content)), from: origin))
        }
        return events
    }
}

/// The events in the orders of their places, ids, owners and starts.
private struct EventTrees {
    private(set) var places = SortedLeaves<PlaceLeaf>()
    private(set) var ids = SortedLeaves<KeyedLeaf<Int64, CellKey>>()
    private(set) var owned = SortedLeaves<KeyedLeaf<OwnedKey, CellKey>>()
    private(set) var starts = SortedLeaves<KeyedLeaf<StartKey, StartedEvent>>()
    private(set) var terms: TermIndex
    /// The size of the numbers of terms beside the events, in bytes.
    private var numberBytes = 0

    init(_ terms: TermIndex) {
        self.terms = terms
    }

    var byteCount: Int {
        places.byteCount + ids.byteCount + owned.byteCount + starts.byteCount + terms.byteCount
    }

    var termBytes: Int { terms.byteCount + numberBytes }

    func cell(of id: Int64) -> CellKey? {
        ids.position(of: id).flatMap { ids[$0].value(of: id) }
    }

    func entry(of key: PlaceKey) -> (leaf: SortedLeaves<PlaceLeaf>.Position, index: Int)? {
        guard let position = places.position(of: key) else { return nil }
        return places[position].index(of: key).map { (position, $0) }
    }

    mutating func apply(_ changes: [EventChange], keepsContents: Bool) {
        // The latest change of each event; empty if the ids ascend, because each is there once.
        var latest: [Int64: Int] = [:]
        if !zip(changes, changes.dropFirst()).allSatisfy({ $0.id < $1.id }) {
            latest.reserveCapacity(changes.count)
            for (index, change) in changes.enumerated() { latest[change.id] = index }
        }
        let count = latest.isEmpty ? changes.count : latest.count
        var sorted = SortedChanges(count: count)
        var termChanges = TermIndex.Changes(ofEvents: count)
        for (index, change) in changes.enumerated()
        where latest.isEmpty || latest[change.id] == index {
            let old = cell(of: change.id).flatMap { cell in
                entry(of: PlaceKey(cell: cell, id: change.id)).map { entry in
                    IndexedEvent(cell, places[entry.leaf], entry.index)
                }
            }
            let oldTerms = old?.terms ?? TermNumbers()
            let newTerms = terms.replace(
                oldTerms,
                by: change.content?.terms ?? [],
                of: change.id,
                &termChanges
            )
            numberBytes += newTerms.byteCount - oldTerms.byteCount
            sorted.append(change, newTerms, replacing: old, keepsContents: keepsContents)
        }
        sorted.sort()
        terms.apply(termChanges)
        places.apply(sorted.places)
        if places.isEmpty { terms.removeAll() }
        ids.apply(sorted.ids)
        owned.apply(sorted.owned)
        starts.apply(sorted.starts)
    }
}

/// The values of an event before a change.
private struct IndexedEvent {
    let cell: CellKey
    let values: FilterValues
    let terms: TermNumbers

    init(_ cell: CellKey, _ leaf: PlaceLeaf, _ index: Int) {
        self.cell = cell
        values = leaf.values[index]
        terms = leaf.terms(at: index)
    }
}

/// The changes of each order.
private struct SortedChanges {
    private(set) var places: [PlaceLeaf.Change] = []
    private(set) var ids: [KeyedLeaf<Int64, CellKey>.Change] = []
    private(set) var owned: [KeyedLeaf<OwnedKey, CellKey>.Change] = []
    private(set) var starts: [KeyedLeaf<StartKey, StartedEvent>.Change] = []

    init(count: Int) {
        places.reserveCapacity(count)
        ids.reserveCapacity(count)
        owned.reserveCapacity(count)
        starts.reserveCapacity(count)
    }

    /// Appends a change of an event that now has these terms; `old` is nil if it is new.
    mutating func append(
        _ change: EventChange,
        _ terms: TermNumbers,
        replacing old: IndexedEvent?,
        keepsContents: Bool
    ) {
        let id = change.id
        guard var content = change.content else {
            guard let old else { return }
            places.append(.init(key: PlaceKey(cell: old.cell, id: id), content: nil))
            ids.append(.init(key: id, value: nil))
            owned.append(.init(key: OwnedKey(ownerID: old.values.ownerID, id: id), value: nil))
            starts.append(.init(key: StartKey(startedAt: old.values.startedAt, id: id), value: nil))
            return
        }
        if !keepsContents { content.json = nil }
        if keepsContents, content.json == nil { content.json = [] }
        let cell = CellKey(content.point)
        let new = content.values
        if let old, old.cell != cell {
            places.append(.init(key: PlaceKey(cell: old.cell, id: id), content: nil))
        }
        places.append(.init(key: PlaceKey(cell: cell, id: id), content: content, terms: terms))
        if old?.cell != cell { ids.append(.init(key: id, value: cell)) }
        if let old, old.values.ownerID != new.ownerID {
            owned.append(.init(key: OwnedKey(ownerID: old.values.ownerID, id: id), value: nil))
        }
        if old?.cell != cell || old?.values.ownerID != new.ownerID {
            owned.append(.init(key: OwnedKey(ownerID: new.ownerID, id: id), value: cell))
        }
        if let old, old.values.startedAt != new.startedAt {
            starts.append(.init(key: StartKey(startedAt: old.values.startedAt, id: id), value: nil))
        }
        if old?.cell != cell || old?.values != new {
            let event = StartedEvent(cell: cell, lastEnd: new.leastEnd)
            starts.append(.init(key: StartKey(startedAt: new.startedAt, id: id), value: event))
        }
    }

    mutating func sort() {
        // Sorting keys is much faster than sorting changes, whose references would be counted.
        let order = places.indices.map { (key: places[$0].key, index: $0) }
            .sorted { $0.key < $1.key }
        var sorted: [PlaceLeaf.Change] = []
        sorted.reserveCapacity(order.count)
        for (_, index) in order { sorted.append(places[index]) }
        places = sorted
        ids.sort { $0.key < $1.key }
        owned.sort { $0.key < $1.key }
        starts.sort { $0.key < $1.key }
    }
}

/// Where an event is in a snapshot.
package struct EventLocation: BitwiseCopyable, Sendable {
    private let branch: UInt32
    private let leaf: UInt16
    private let indexInLeaf: UInt16

    /// Branches have fewer than 2¹⁶ leaves and leaves fewer events, and 2³² branches fit into no
    /// memory.
    init(_ position: SortedLeaves<PlaceLeaf>.Position, _ index: Int) {
        branch = UInt32(truncatingIfNeeded: position.branch)
        leaf = UInt16(truncatingIfNeeded: position.leaf)
        indexInLeaf = UInt16(truncatingIfNeeded: index)
    }

    var position: SortedLeaves<PlaceLeaf>.Position {
        SortedLeaves<PlaceLeaf>.Position(branch: Int(branch), leaf: Int(leaf))
    }

    var index: Int { Int(indexInLeaf) }
}
