/// The terms of all events, and the events that have each of them.
///
/// A term has a number as long as an event has it, and then until pending changes are applied. It
/// suggests candidates only: the terms of an event that are beside it in its leaf decide.
struct TermIndex: Sendable {
    private(set) var numbers = SortedLeaves<KeyedLeaf<EventTerm, UInt32>>()
    /// The term of each number.
    private(set) var terms = SortedLeaves<KeyedLeaf<UInt32, EventTerm>>()
    private(set) var postings = SortedLeaves<PostingLeaf>()
    /// Changes that are not in `postings` yet.
    private(set) var pending = PendingPostings()
    /// The numbers below the next ones that no term has.
    private(set) var unused = SortedLeaves<KeyedLeaf<UInt32, UInt32>>()
    private var nextWord = TermNumbers.firstOfWords
    private var nextLabel: UInt32 = 0
    /// The terms that an event has lost since pending changes were applied.
    private var lost: Set<UInt32> = []
    /// The number of pending changes from which they are applied.
    private let mostPending: Int
    /// The memory of texts that are too long for the dictionaries, in bytes.
    private(set) var textBytes = 0
    /// The number of terms.
    private(set) var count = 0

    /// The changes of some events, each of which occurs once.
    struct Changes {
        /// The numbers of new terms, and of others if there are many changes.
        fileprivate var known: [EventTerm: UInt32] = [:]
        fileprivate let areMany: Bool
        /// The terms that get a number.
        fileprivate var added: [KeyedLeaf<EventTerm, UInt32>.Change] = []
        fileprivate var postings: [PostingLeaf.Change] = []
        /// The terms that an event has lost.
        fileprivate var lost: Set<UInt32> = []

        init(ofEvents count: Int) {
            areMany = count > 1000
        }
    }

    /// The memory of all, in bytes.
    var byteCount: Int {
        numbers.byteCount + terms.byteCount + postings.byteCount + pending.byteCount
            + unused.byteCount + textBytes
    }

    /// About 1,400 events with 40 words have as many terms.
    static let usualPending = 65_536

    init(mostPending: Int = Self.usualPending) {
        self.mostPending = mostPending
    }

    // MARK: - Changes

    /// Notes that an event now has these terms, none of which is repeated, and returns their
    /// numbers.
    ///
    /// `old` are the numbers of the terms that it had.
    mutating func replace(
        _ old: TermNumbers,
        by new: [EventTerm],
        of id: Int64,
        _ changes: inout Changes
    ) -> TermNumbers {
        let old = old.numbers
        var numbers = new.map { number(of: $0, &changes) }
        numbers.sort()
        guard numbers != old else { return TermNumbers(numbers) }
        for (number, isRemoval) in Self.differences(old, numbers) {
            let posting = Posting(term: number, id: id)
            changes.postings.append(.init(posting: posting, isRemoval: isRemoval))
            if isRemoval { changes.lost.insert(number) }
        }
        return TermNumbers(numbers)
    }

    /// Returns the numbers that only one of two sorted arrays has.
    private static func differences(
        _ old: [UInt32],
        _ new: [UInt32]
    ) -> [(number: UInt32, isRemoval: Bool)] {
        var differences: [(number: UInt32, isRemoval: Bool)] = []
        differences.reserveCapacity(old.count + new.count)
        var rest = old[...]
        for number in new {
            while let lost = rest.first, lost < number {
                differences.append((lost, true))
                rest.removeFirst()
            }
            if rest.first == number {
                rest.removeFirst()
            } else {
                differences.append((number, false))
            }
        }
        return differences + rest.map { ($0, true) }
    }

    /// Returns the number of a term, which it gets if it has none.
    private mutating func number(of term: EventTerm, _ changes: inout Changes) -> UInt32 {
        if !changes.known.isEmpty, let number = changes.known[term] { return number }
        if let number = number(of: term) {
            if changes.areMany { changes.known[term] = number }
            return number
        }
        let number = takeNumber(forWord: term.isWord)
        changes.known[term] = number
        changes.added.append(.init(key: term, value: number))
        return number
    }

    /// Returns a number that no term has.
    private mutating func takeNumber(forWord isWord: Bool) -> UInt32 {
        var number = isWord ? nextWord : nextLabel
        let first = isWord ? TermNumbers.firstOfWords : 0
        var isUnused = false
        unused.forEachLeaf(in: KeyRange(first: first, last: number)) { leaf, indices in
            number = leaf.keys[indices.lowerBound]
            isUnused = true
            return false
        }
        if isUnused {
            unused.apply([.init(key: number, value: nil)])
        } else if isWord {
            nextWord &+= 1
        } else {
            nextLabel &+= 1
        }
        return number
    }

    /// Whether the next changes also apply the pending ones, which takes some 15 ms.
    var isApplyDue: Bool { pending.count >= mostPending }

    /// Adds changes to the pending ones, and applies all from time to time.
    ///
    /// O(m log n) for m postings, on average of all changes.
    mutating func apply(_ changes: consuming Changes) {
        let isDue = isApplyDue || changes.postings.count >= mostPending
        changes.postings.sort { $0.posting < $1.posting }
        pending.append(changes.postings)
        lost.formUnion(changes.lost)
        update(changes.added)
        guard isDue else { return }
        postings.apply(pending.removeAll())
        removeLostTerms()
    }

    /// Removes all terms and changes.
    mutating func removeAll() { self = TermIndex(mostPending: mostPending) }

    /// Removes terms that no event has.
    private mutating func removeLostTerms() {
        let unusedNumbers = lost.sorted().filter { !isUsed($0) }
        lost = []
        guard !unusedNumbers.isEmpty else { return }
        let removed = unusedNumbers.compactMap { number in
            terms.position(of: number).flatMap { terms[$0].value(of: number) }
        }
        textBytes -= removed.reduce(0) { $0 + $1.heapBytes }
        count -= removed.count
        numbers.apply(removed.sorted().map { .init(key: $0, value: nil) })
        terms.apply(unusedNumbers.map { .init(key: $0, value: nil) })
        unused.apply(unusedNumbers.map { .init(key: $0, value: $0) })
    }

    /// Adds terms to both dictionaries.
    private mutating func update(_ added: [KeyedLeaf<EventTerm, UInt32>.Change]) {
        guard !added.isEmpty else { return }
        textBytes += added.reduce(0) { $0 + $1.key.heapBytes }
        count += added.count
        numbers.apply(added.sorted { $0.key < $1.key })
        let byNumber = added.compactMap { change in change.value.map { ($0, change.key) } }
            .sorted { $0.0 < $1.0 }
        terms.apply(byNumber.map { .init(key: $0.0, value: $0.1) })
    }

    // MARK: - Searches

    /// Returns the number of a term, or nil if no event has it; O(log n).
    private func number(of term: EventTerm) -> UInt32? {
        numbers.position(of: term).flatMap { numbers[$0].value(of: term) }
    }

    /// Returns the numbers of the terms that a condition names, in rising order and once each.
    ///
    /// Returns nil if there are more than `maximum`.
    func numbers(of condition: TermCondition, maximum: Int) -> [UInt32]? {
        guard condition.isPrefix else {
            return Set(condition.terms.compactMap(number)).sorted()
        }
        var found: [UInt32] = []
        for prefix in condition.terms {
            // No word has the last character.
            let last = EventTerm(text: prefix.text + "\u{10FFFF}")
            numbers.forEachLeaf(in: KeyRange(first: prefix, last: last)) { leaf, indices in
                found += leaf.values[indices]
                return found.count <= maximum
            }
        }
        return found.count <= maximum ? found.sorted() : nil
    }

    /// Returns about the number of events that have a term, and never less; O(log n).
    func estimatedCount(of number: UInt32) -> Int {
        appliedCount(of: number) + pending.count(of: number)
    }

    private func appliedCount(of number: UInt32) -> Int {
        guard let first = postings.position(of: Posting(term: number, id: .min)),
            let last = postings.position(of: Posting(term: number, id: .max))
        else { return 0 }
        if first == last {
            var count = 0
            postings[first].forEach { posting in
                if posting.term == number { count += 1 }
                return posting.term <= number
            }
            return count
        }
        func count(_ branch: Int, _ leaves: (ClosedRange<Int>)? = nil) -> Int {
            guard let leaves else { return postings.summaries[branch] }
            return postings.summaries(ofBranch: branch)[leaves].reduce(0, +)
        }
        if first.branch == last.branch { return count(first.branch, first.leaf...last.leaf) }
        let end = postings.summaries(ofBranch: first.branch).count - 1
        return (first.branch + 1..<last.branch).reduce(
            count(first.branch, first.leaf...end) + count(last.branch, 0...last.leaf)
        ) { $0 + count($1) }
    }

    /// Appends the ids of the events that have a term, in rising order.
    func appendIDs(of number: UInt32, to ids: inout [Int64]) {
        forEachID(of: number) { id in
            ids.append(id)
            return true
        }
    }

    /// Returns whether a posting that was applied has a term.
    private func isUsed(_ number: UInt32) -> Bool {
        var isUsed = false
        forEachAppliedID(of: number) { _ in
            isUsed = true
            return false
        }
        return isUsed
    }

    /// Calls `body` with the ids of the events that have a term, in rising order, until it returns
    /// false.
    private func forEachID(of number: UInt32, _ body: (Int64) -> Bool) {
        var changes = pending.changes(of: number)[...]
        var goesOn = true
        forEachAppliedID(of: number) { id in
            while goesOn, let change = changes.first, change.posting.id < id {
                changes.removeFirst()
                if !change.isRemoval { goesOn = body(change.posting.id) }
            }
            let isRemoved = changes.first.map { $0.posting.id == id && $0.isRemoval } ?? false
            if changes.first?.posting.id == id { changes.removeFirst() }
            if goesOn, !isRemoved { goesOn = body(id) }
            return goesOn
        }
        for change in changes where goesOn && !change.isRemoval { goesOn = body(change.posting.id) }
    }

    private func forEachAppliedID(of number: UInt32, _ body: (Int64) -> Bool) {
        var next = postings.position(of: Posting(term: number, id: .min))
        var hasEnded = false
        while let position = next, !hasEnded {
            postings[position].forEach { posting in
                if posting.term == number { hasEnded = !body(posting.id) }
                if posting.term > number { hasEnded = true }
                return !hasEnded
            }
            next = postings.position(after: position)
        }
    }
}

extension UInt32: KeyedValue {
    var lastEnd: Int64 { .max }
}

extension EventTerm: KeyedValue {
    var lastEnd: Int64 { .max }
}
