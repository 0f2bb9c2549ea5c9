/// A term that an event has.
struct Posting: BitwiseCopyable, Comparable, Sendable {
    /// The number of the term.
    let term: UInt32
    /// The id of the event.
    let id: Int64

    static func < (one: Posting, other: Posting) -> Bool { one.rank < other.rank }

    private var rank: Int128 { Int128(ordering: Int64(term), id) }
}

/// Some successive postings, each as its difference to the one before.
struct PostingLeaf: SortedLeaf {
    /// A new posting, or its removal.
    struct Change: Equatable {
        let posting: Posting
        let isRemoval: Bool
    }

    let firstKey: Posting
    /// The number of postings.
    let summary: Int
    /// All postings but the first one.
    private let bytes: [UInt8]

    /// The maximum number of postings.
    private static let maximumCount = 128
    /// The memory of a leaf besides its bytes: an array and its place in the branch.
    private static let headBytes = 96

    /// Encodes sorted postings; nil if there are none.
    private init?(_ postings: ArraySlice<Posting>) {
        guard let first = postings.first else { return nil }
        firstKey = first
        summary = postings.count
        var bytes: [UInt8] = []
        bytes.reserveCapacity(4 * postings.count)
        var last = first
        for posting in postings.dropFirst() {
            bytes.append(posting, after: last)
            last = posting
        }
        self.bytes = bytes
    }

    private init(firstKey: Posting, count: Int, _ bytes: [UInt8]) {
        self.firstKey = firstKey
        summary = count
        self.bytes = bytes
    }

    var byteCount: Int { Self.headBytes + bytes.count }

    var contentBytes: Int { 0 }

    static func key(of change: Change) -> Posting { change.posting }

    static func separation(of key: Posting, _ next: Posting) -> UInt64 { 0 }

    // Half as many as usual, because the terms of an event are in as many branches.
    static var maximumLeaves: Int { 64 }

    static func summary(of summaries: [Int]) -> Int { summaries.reduce(0, +) }

    static func summary(_ whole: Int, replacing old: Int, by new: Int) -> Int? { whole - old + new }

    static func leaves(of changes: ArraySlice<Change>) -> [PostingLeaf] {
        leaves(changes.filter { !$0.isRemoval }.map(\.posting))
    }

    func applying(_ changes: ArraySlice<Change>) -> [PostingLeaf] {
        if changes.count == 1, let change = changes.first, let leaf = applying(change) {
            return [leaf]
        }
        var merged: [Posting] = []
        merged.reserveCapacity(summary + changes.count)
        var rest = changes
        forEach { posting in
            while let change = rest.first, change.posting < posting {
                if !change.isRemoval { merged.append(change.posting) }
                rest.removeFirst()
            }
            if let change = rest.first, change.posting == posting {
                rest.removeFirst()
                if change.isRemoval { return true }
            }
            merged.append(posting)
            return true
        }
        merged += rest.lazy.filter { !$0.isRemoval }.map(\.posting)
        return Self.leaves(merged)
    }

    /// Returns the leaf after a change, of which it decodes only the place; nil if the change is of
    /// the first posting or makes the leaf too long.
    private func applying(_ change: Change) -> PostingLeaf? {
        let posting = change.posting
        guard firstKey < posting, summary < Self.maximumCount else { return nil }
        let span = bytes.span
        var (last, end) = (firstKey, 0)
        var (next, nextEnd): (Posting?, Int) = (nil, 0)
        while end < span.count {
            nextEnd = end
            let found = span.posting(at: &nextEnd, after: last)
            guard found < posting else {
                next = found
                break
            }
            (last, end) = (found, nextEnd)
        }
        let isKnown = next == posting
        guard isKnown == change.isRemoval else { return self }
        var changed: [UInt8] = []
        changed.reserveCapacity(bytes.count + 12)
        changed += bytes[..<end]
        if change.isRemoval {
            guard nextEnd < span.count else {
                return PostingLeaf(firstKey: firstKey, count: summary - 1, changed)
            }
            next = span.posting(at: &nextEnd, after: posting)
        } else {
            changed.append(posting, after: last)
            last = posting
        }
        if let next {
            changed.append(next, after: last)
            changed += bytes[nextEnd...]
        }
        return PostingLeaf(
            firstKey: firstKey,
            count: change.isRemoval ? summary - 1 : summary + 1,
            changed
        )
    }

    /// Calls `body` with the postings in their order until it returns false.
    @inline(__always)
    func forEach(_ body: (Posting) -> Bool) {
        var (posting, position) = (firstKey, 0)
        let bytes = bytes.span
        while body(posting), position < bytes.count {
            posting = bytes.posting(at: &position, after: posting)
        }
    }

    /// Returns as few leaves as postings need, of about the same size.
    private static func leaves(_ postings: [Posting]) -> [PostingLeaf] {
        let count = (postings.count + maximumCount - 1) / maximumCount
        return (0..<count).compactMap { index in
            let start = index * postings.count / count
            return PostingLeaf(postings[start..<(index + 1) * postings.count / count])
        }
    }
}

extension [UInt8] {
    /// Appends a posting as its difference to the one before.
    @inline(__always)
    fileprivate mutating func append(_ posting: Posting, after last: Posting) {
        append(varint: UInt64(posting.term &- last.term))
        // Ids of the same term rise. Those of another one can be below zero.
        let base = posting.term == last.term ? last.id : 0
        append(varint: UInt64(bitPattern: posting.id &- base))
    }

    /// Appends a number in 7 bits a byte, the lowest first; the highest bit says that more follow.
    fileprivate mutating func append(varint number: UInt64) {
        var rest = number
        while rest >= 0x80 {
            append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        append(UInt8(truncatingIfNeeded: rest))
    }
}

extension Span<UInt8> {
    /// Returns the posting at a position, and moves the position after it.
    @inline(__always)
    fileprivate func posting(at position: inout Int, after last: Posting) -> Posting {
        let difference = UInt32(truncatingIfNeeded: varint(at: &position))
        let base = difference == 0 ? last.id : 0
        let id = base &+ Int64(bitPattern: varint(at: &position))
        return Posting(term: last.term &+ difference, id: id)
    }

    /// Returns the number at a position, and moves it after the number.
    @inline(__always)
    fileprivate func varint(at position: inout Int) -> UInt64 {
        var (number, shift): (UInt64, UInt64) = (0, 0)
        while position < count {
            let byte = self[position]
            position += 1
            number |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { break }
            shift += 7
        }
        return number
    }
}
