/// A part of a sorted collection, with at least one element.
///
/// Leaves never change; a change makes new ones.
protocol SortedLeaf: Sendable {
    associatedtype Key: Comparable, Sendable
    associatedtype Change

    /// The key of its first element.
    var firstKey: Key { get }
    /// The memory of its elements, in bytes.
    var byteCount: Int { get }

    static func key(of change: Change) -> Key
    /// Returns leaves with the elements that these changes add, which are sorted by key.
    static func leaves(of changes: ArraySlice<Change>) -> [Self]
    /// Returns the leaves that replace it, none if all elements are removed.
    ///
    /// `changes` are sorted by key, with at most one for each key.
    func applying(_ changes: ArraySlice<Change>) -> [Self]
}

/// A sorted collection as a value, whose copies share all leaves that have not changed since.
///
/// A tree of three levels: a change copies the list of branches, the branch and the leaf, about
/// 20 KB at a million elements. Readers keep a copy of the tree as it was, and never wait.
struct SortedLeaves<Leaf: SortedLeaf>: Sendable {
    struct Branch: Sendable {
        let firstKey: Leaf.Key
        let leaves: [Leaf]
    }

    /// Where a leaf is.
    struct Position: Equatable {
        var branch: Int
        var leaf: Int
    }

    private(set) var branches: [Branch] = []
    /// The memory of all elements, in bytes.
    private(set) var byteCount = 0

    /// The number of leaves from which a branch is split.
    private static var maximumLeaves: Int { 128 }

    /// Returns the position of the only leaf that can contain this key.
    ///
    /// Returns nil if there is no leaf. O(log n).
    func position(of key: Leaf.Key) -> Position? {
        guard !branches.isEmpty else { return nil }
        let branch = branchIndex(of: key)
        let leaves = branches[branch].leaves
        let leaf = leaves.partitionIndex { $0.firstKey <= key }
        return Position(branch: branch, leaf: max(0, leaf - 1))
    }

    subscript(position: Position) -> Leaf {
        branches[position.branch].leaves[position.leaf]
    }

    /// Returns the position of the next leaf, or nil after the last one.
    func position(after position: Position) -> Position? {
        if position.leaf + 1 < branches[position.branch].leaves.count {
            return Position(branch: position.branch, leaf: position.leaf + 1)
        }
        guard position.branch + 1 < branches.count else { return nil }
        return Position(branch: position.branch + 1, leaf: 0)
    }

    /// Returns the position of the leaf before, or nil before the first one.
    func position(before position: Position) -> Position? {
        if position.leaf > 0 {
            return Position(branch: position.branch, leaf: position.leaf - 1)
        }
        guard position.branch > 0 else { return nil }
        let branch = position.branch - 1
        return Position(branch: branch, leaf: branches[branch].leaves.count - 1)
    }

    /// Applies changes that are sorted by key, with at most one for each key.
    ///
    /// O(m log n + √n) for m changes.
    mutating func apply(_ changes: [Leaf.Change]) {
        var rest = changes[...]
        while let first = rest.first {
            guard !branches.isEmpty else {
                let leaves = Leaf.leaves(of: rest)
                byteCount += leaves.reduce(0) { $0 + $1.byteCount }
                branches = Self.branches(of: leaves)
                return
            }
            let index = branchIndex(of: Leaf.key(of: first))
            let end = index + 1 < branches.count ? branches[index + 1].firstKey : nil
            let part = rest.prefix { change in end.map { Leaf.key(of: change) < $0 } ?? true }
            rest = rest[part.endIndex...]
            branches.replaceSubrange(
                index...index,
                with: Self.branches(of: leaves(of: branches[index].leaves, applying: part))
            )
        }
    }

    /// Returns the leaves with changes, all of which belong to them.
    private mutating func leaves(
        of leaves: [Leaf],
        applying changes: ArraySlice<Leaf.Change>
    ) -> [Leaf] {
        var result: [Leaf] = []
        result.reserveCapacity(leaves.count + 1)
        var rest = changes
        for (index, leaf) in leaves.enumerated() {
            let end = index + 1 < leaves.count ? leaves[index + 1].firstKey : nil
            let part = rest.prefix { change in end.map { Leaf.key(of: change) < $0 } ?? true }
            guard !part.isEmpty else {
                result.append(leaf)
                continue
            }
            rest = rest[part.endIndex...]
            let replacement = leaf.applying(part)
            byteCount += replacement.reduce(-leaf.byteCount) { $0 + $1.byteCount }
            result += replacement
        }
        return result
    }

    /// Divides leaves into branches of similar size.
    private static func branches(of leaves: [Leaf]) -> [Branch] {
        leaves.dividedEvenly(maximumCount: maximumLeaves).compactMap { part in
            part.first.map { Branch(firstKey: $0.firstKey, leaves: Array(part)) }
        }
    }

    /// Returns the index of the last branch that begins at or before a key, or else of the first.
    private func branchIndex(of key: Leaf.Key) -> Int {
        max(0, branches.partitionIndex { $0.firstKey <= key } - 1)
    }
}

extension Array {
    /// Returns the index of the first element that does not satisfy a condition, which the elements
    /// before it do and those after it don't; O(log n).
    func partitionIndex(where condition: (Element) -> Bool) -> Int {
        var (lower, upper) = (0, count)
        while lower < upper {
            let middle = lower + (upper - lower) / 2
            if condition(self[middle]) { lower = middle + 1 } else { upper = middle }
        }
        return lower
    }

    /// Returns parts of similar size, none of which is longer than `maximumCount`.
    ///
    /// Parts of a longer array are only about three quarters full, so that they can grow.
    func dividedEvenly(maximumCount: Int) -> [ArraySlice<Element>] {
        guard count > maximumCount else { return isEmpty ? [] : [self[...]] }
        let fill = maximumCount * 3 / 4
        let parts = (count + fill - 1) / fill
        return (0..<parts).map { self[count * $0 / parts..<count * ($0 + 1) / parts] }
    }
}
