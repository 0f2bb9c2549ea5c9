/// A part of a sorted collection, with at least one element.
///
/// Leaves never change; a change makes new ones.
protocol SortedLeaf: Sendable {
    associatedtype Key: Comparable, Sendable
    associatedtype Change
    /// A summary of the elements of a leaf, or of all leaves of a branch, for searches.
    associatedtype Summary: BitwiseCopyable, Sendable

    /// A key that is not above its first element, and above the last one of the leaf before.
    var firstKey: Key { get }
    var summary: Summary { get }
    /// The memory of its elements, in bytes.
    var byteCount: Int { get }
    /// The part of it that is for contents.
    var contentBytes: Int { get }

    /// The number of leaves from which a branch is split.
    static var maximumLeaves: Int { get }

    static func key(of change: Change) -> Key
    /// Returns how well a leaf can end between two successive keys.
    static func separation(of key: Key, _ next: Key) -> UInt64
    /// Returns the summary of leaves together; there is at least one.
    static func summary(of summaries: [Summary]) -> Summary
    /// Returns the summary of leaves together after one of them was replaced.
    ///
    /// Nil if only the summaries of all leaves tell it.
    static func summary(_ whole: Summary, replacing old: Summary, by new: Summary) -> Summary?
    /// Returns leaves with the elements that these changes add, which are sorted by key.
    static func leaves(of changes: ArraySlice<Change>) -> [Self]
    /// Returns the leaves that replace it, an empty array if all elements are removed.
    ///
    /// `changes` are sorted by key, with at most one for each key.
    func applying(_ changes: ArraySlice<Change>) -> [Self]
}

extension SortedLeaf {
    static var maximumLeaves: Int { 128 }
}

/// A sorted collection as a value, whose copies share all leaves that have not changed since.
///
/// A tree of three levels. While a copy exists, a change copies the list of branches, the branch
/// and the leaf, about 60 KB at a million elements. Otherwise it replaces the leaf only. Keys are
/// in arrays of their own, so that a search counts no references of leaves, which all cores share.
struct SortedLeaves<Leaf: SortedLeaf>: Sendable {
    private struct Branch {
        /// The keys from which the leaves begin.
        private(set) var keys: [Leaf.Key]
        private(set) var summaries: [Leaf.Summary]
        private(set) var leaves: [Leaf]

        init(_ leaves: [Leaf]) {
            keys = leaves.map(\.firstKey)
            summaries = leaves.map(\.summary)
            self.leaves = leaves
        }

        /// Puts other leaves in the place of one.
        mutating func replace(_ index: Int, with replacement: [Leaf]) {
            if let leaf = replacement.first, replacement.count == 1 {
                (keys[index], summaries[index], leaves[index]) = (leaf.firstKey, leaf.summary, leaf)
                return
            }
            let replaced = index...index
            keys.replaceSubrange(replaced, with: replacement.map(\.firstKey))
            summaries.replaceSubrange(replaced, with: replacement.map(\.summary))
            leaves.replaceSubrange(replaced, with: replacement)
        }
    }

    /// Where a leaf is.
    struct Position: Equatable {
        var branch: Int
        var leaf: Int
    }

    /// For each branch but the first one, a key that is not above its first element, and above the
    /// branch before.
    ///
    /// The first branch gets all keys that are below those of the others.
    private var keys: [Leaf.Key] = []
    private var branches: [Branch] = []
    /// The summary of each branch.
    private(set) var summaries: [Leaf.Summary] = []
    /// The memory of all elements, in bytes.
    private(set) var byteCount = 0
    /// The part of it that is for contents.
    private(set) var contentBytes = 0

    var isEmpty: Bool { branches.isEmpty }

    /// Returns the position of the only leaf that can contain this key.
    ///
    /// Returns nil if there is no leaf. O(log n).
    func position(of key: Leaf.Key) -> Position? {
        guard !branches.isEmpty else { return nil }
        let branch = max(0, keys.partitionIndex { $0 <= key } - 1)
        let leaf = branches[branch].keys.partitionIndex { $0 <= key }
        return Position(branch: branch, leaf: max(0, leaf - 1))
    }

    /// Returns the position of the next leaf in a direction whose summary may match.
    func position(
        next position: Position,
        isDescending: Bool,
        where mayMatch: (Leaf.Summary) -> Bool
    ) -> Position? {
        var next = isDescending ? self.position(before: position) : self.position(after: position)
        while let found = next {
            if found.branch == position.branch || mayMatch(summaries[found.branch]) {
                if mayMatch(branches[found.branch].summaries[found.leaf]) { return found }
                next = isDescending ? self.position(before: found) : self.position(after: found)
            } else {
                let end = isDescending ? 0 : branches[found.branch].keys.count - 1
                let last = Position(branch: found.branch, leaf: end)
                next = isDescending ? self.position(before: last) : self.position(after: last)
            }
        }
        return nil
    }

    /// Returns the summaries of the leaves of a branch.
    func summaries(ofBranch branch: Int) -> [Leaf.Summary] { branches[branch].summaries }

    subscript(position: Position) -> Leaf {
        branches[position.branch].leaves[position.leaf]
    }

    /// Returns the position of the next leaf, or nil after the last one.
    func position(after position: Position) -> Position? {
        if position.leaf + 1 < branches[position.branch].keys.count {
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
        return Position(branch: branch, leaf: branches[branch].keys.count - 1)
    }

    /// Applies changes that are sorted by key, with at most one for each key.
    ///
    /// O(m log n + n) for m changes of n elements, where the last term is the copy of the list of
    /// branches, which has an entry for some thousand elements.
    mutating func apply(_ changes: [Leaf.Change]) {
        var start = changes.startIndex
        while start < changes.endIndex {
            guard let position = position(of: Leaf.key(of: changes[start])) else {
                let leaves = Leaf.leaves(of: changes[start...])
                byteCount += leaves.reduce(0) { $0 + $1.byteCount }
                contentBytes += leaves.reduce(0) { $0 + $1.contentBytes }
                branches = Self.branches(of: leaves)
                keys = branches.compactMap(\.keys.first)
                summaries = branches.map { Leaf.summary(of: $0.summaries) }
                return
            }
            let limit = firstKey(after: position)
            var end = start + 1
            while end < changes.endIndex, limit.map({ Leaf.key(of: changes[end]) < $0 }) ?? true {
                end += 1
            }
            replace(position, with: self[position].applying(changes[start..<end]))
            start = end
        }
    }

    /// Returns the smallest key that does not belong to a leaf, nil for the last leaf.
    func firstKey(after position: Position) -> Leaf.Key? {
        let leafKeys = branches[position.branch].keys
        if position.leaf + 1 < leafKeys.count { return leafKeys[position.leaf + 1] }
        let next = position.branch + 1
        return next < keys.count ? keys[next] : nil
    }

    private mutating func replace(_ position: Position, with replacement: [Leaf]) {
        let replaced = self[position]
        byteCount += replacement.reduce(-replaced.byteCount) { $0 + $1.byteCount }
        contentBytes += replacement.reduce(-replaced.contentBytes) { $0 + $1.contentBytes }
        let branch = position.branch
        let old = branches[branch].summaries[position.leaf]
        branches[branch].replace(position.leaf, with: replacement)
        if let new = replacement.first?.summary, replacement.count == 1,
            let whole = Leaf.summary(summaries[branch], replacing: old, by: new)
        {
            summaries[branch] = whole
            return
        }
        let leaves = branches[branch].leaves
        if !leaves.isEmpty, leaves.count <= Leaf.maximumLeaves {
            summaries[branch] = Leaf.summary(of: branches[branch].summaries)
            return
        }
        let parts = Self.branches(of: leaves)
        let range = branch...branch
        branches.replaceSubrange(range, with: parts)
        keys.replaceSubrange(range, with: parts.compactMap(\.keys.first))
        summaries.replaceSubrange(range, with: parts.map { Leaf.summary(of: $0.summaries) })
    }

    /// Divides leaves into branches.
    private static func branches(of leaves: [Leaf]) -> [Branch] {
        leaves.divided(maximumCount: Leaf.maximumLeaves) {
            Leaf.separation(of: $0.firstKey, $1.firstKey)
        }
        .map { Branch(Array($0)) }
    }
}

extension Int128 {
    /// Creates a number that orders pairs by the first number, then by the second one.
    ///
    /// To compare them needs no branch; in a search, the processor can't predict one.
    init(ordering first: Int64, _ second: Int64) {
        // Flips the sign bit, so that the order without signs is the order with them.
        let low = UInt64(bitPattern: second) ^ (1 << 63)
        self = Int128(first) << 64 | Int128(low)
    }
}

extension Array {
    /// Returns parts of which none is longer than `maximumCount`, which is 2 or more.
    ///
    /// Cuts an array that is too long in two, again and again: where the separation of two
    /// neighbours is greatest, or else in the middle. O(n log n) for even separations.
    func divided(
        maximumCount: Int,
        _ separation: (Element, Element) -> UInt64
    ) -> [ArraySlice<Element>] {
        var parts: [ArraySlice<Element>] = []
        var rest = isEmpty ? [] : [self[...]]
        while let part = rest.popLast() {
            if part.count <= maximumCount {
                parts.append(part)
            } else {
                let cut = part.bestCut(separation)
                rest.append(part[cut...])
                rest.append(part[..<cut])
            }
        }
        return parts
    }
}

extension ArraySlice {
    /// Returns the index before which two or more elements are best cut in two.
    fileprivate func bestCut(_ separation: (Element, Element) -> UInt64) -> Int {
        let middle = startIndex + count / 2
        var (best, greatest) = (middle, separation(self[middle - 1], self[middle]))
        // From the middle outwards, so that equal separations divide evenly.
        for distance in stride(from: 1, through: count / 2, by: 1) {
            for index in [middle - distance, middle + distance]
            where startIndex < index && index < endIndex {
                let found = separation(self[index - 1], self[index])
                if found > greatest { (best, greatest) = (index, found) }
            }
        }
        return best
    }
}
