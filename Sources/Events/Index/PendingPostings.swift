/// Changes of postings that wait to be applied together.
///
/// An event with 40 words changes 40 leaves, and copies the branch of each. Many events at once
/// share most of them.
struct PendingPostings: Sendable {
    /// Changes in the order of their postings, in arrays, the earliest of which comes first.
    ///
    /// Each is at least twice as long as the next (P. O'Neil et al., The log-structured merge-tree,
    /// Acta Informatica 33, 1996).
    private var runs: [[PostingLeaf.Change]] = []

    /// The number of changes, of which some may be of the same posting.
    var count: Int { runs.reduce(0) { $0 + $1.count } }

    /// The memory of the changes, in bytes.
    var byteCount: Int { count * MemoryLayout<PostingLeaf.Change>.stride }

    /// Adds later changes, which are sorted, with at most one of each posting.
    mutating func append(_ changes: [PostingLeaf.Change]) {
        guard !changes.isEmpty else { return }
        var run = changes
        while let last = runs.last, last.count < 2 * run.count {
            run = Self.merging(last, run)
            runs.removeLast()
        }
        runs.append(run)
    }

    /// Returns the changes in the order of their postings, the last one of each, and forgets them.
    mutating func removeAll() -> [PostingLeaf.Change] {
        let merged = runs.reversed().reduce([]) { Self.merging($1, $0) }
        runs = []
        return merged
    }

    /// Returns the number of changes of a term; O(log n).
    func count(of term: UInt32) -> Int {
        runs.reduce(0) { count, run in
            count + run.partitionIndex { $0.posting.term <= term }
                - run.partitionIndex { $0.posting.term < term }
        }
    }

    /// Returns the changes of a term by id, the last one of each.
    func changes(of term: UInt32) -> [PostingLeaf.Change] {
        runs.reversed().reduce([]) { later, run in
            let start = run.partitionIndex { $0.posting.term < term }
            let changes = run[start...].prefix { $0.posting.term == term }
            return changes.isEmpty ? later : Self.merging(Array(changes), later)
        }
    }

    /// Returns all of some sorted changes; of the same posting, only the later one.
    private static func merging(
        _ earlier: [PostingLeaf.Change],
        _ later: [PostingLeaf.Change]
    ) -> [PostingLeaf.Change] {
        var merged: [PostingLeaf.Change] = []
        merged.reserveCapacity(earlier.count + later.count)
        var next = earlier.startIndex
        for change in later {
            while next < earlier.endIndex, earlier[next].posting < change.posting {
                merged.append(earlier[next])
                next += 1
            }
            if next < earlier.endIndex, earlier[next].posting == change.posting { next += 1 }
            merged.append(change)
        }
        merged += earlier[next...]
        return merged
    }
}
