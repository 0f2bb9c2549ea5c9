/// The conditions on terms of a filter, with the numbers that the terms have in a snapshot.
final class TermMatcher: Sendable {
    /// Terms of which an event must have one.
    private struct Group {
        /// In rising order.
        let numbers: [UInt32]
        /// A bit for each number from the first one's word on; empty for a single number.
        let bits: [UInt64]

        init(_ numbers: [UInt32]) {
            self.numbers = numbers
            guard let first = numbers.first, let last = numbers.last, first < last else {
                bits = []
                return
            }
            var bits = [UInt64](repeating: 0, count: Int((last >> 6) - (first >> 6)) + 1)
            for number in numbers {
                bits[Int((number >> 6) - (first >> 6))] |= 1 << UInt64(number & 63)
            }
            self.bits = bits
        }

        var isOfWords: Bool { numbers.last.map(TermNumbers.isWord) ?? false }

        /// Returns false if no event with this signature can have one of the numbers.
        @inline(__always)
        func mayMatch(_ signature: TermSignature) -> Bool {
            isOfWords || numbers.contains(where: signature.mayContain)
        }

        /// Returns whether an event has one of the numbers.
        @inline(__always)
        func matches(_ labels: PackedBytes, _ words: PackedBytes, at index: Int) -> Bool {
            guard let first = numbers.first, let last = numbers.last else { return false }
            let event = index..<index + 1
            var isMatch = false
            func goesOn(_ number: UInt32) -> Bool {
                if bits.isEmpty {
                    isMatch = number == first
                } else if first <= number, number <= last {
                    let word = bits[Int((number >> 6) - (first >> 6))]
                    isMatch = word >> UInt64(number & 63) & 1 == 1
                }
                return !isMatch && number < last
            }
            if isOfWords {
                TermNumbers.forEachWord(of: words.bytes.span, in: words.range(of: event), goesOn)
            } else {
                TermNumbers.forEachLabel(of: labels.bytes.span, in: labels.range(of: event), goesOn)
            }
            return isMatch
        }
    }

    private let groups: [Group]
    /// The groups whose events are read for candidates.
    private let listed: [Group]
    /// About the number of events that are read for them, and never less; nil if it is too large.
    private let listedCount: Int?
    /// About the share of events that meet all conditions, if these don't depend on each other.
    let share: Double
    /// The number of entries that it took to look up the terms.
    let cost: Int

    /// The number of words of a prefix from which their events are not listed.
    private static let mostListedTerms = 256
    /// The number of times by which a group that is listed may exceed the smallest one.
    private static let mostListedTimes = 16
    /// The number of postings, or of words of a prefix, that take as long as comparing an event.
    private static let postingsPerEntry = 8

    /// Looks up terms of a number of events; nil if that takes more than `entries`.
    init?(_ conditions: [TermCondition], in terms: TermIndex, of eventCount: Int, entries: Int) {
        let (most, overflows) = entries.multipliedReportingOverflow(by: Self.postingsPerEntry)
        var rest = overflows ? .max : most
        var groups: [Group] = []
        for condition in conditions {
            guard let numbers = terms.numbers(of: condition, maximum: rest) else { return nil }
            rest -= numbers.count
            groups.append(Group(numbers))
        }
        self.groups = groups
        cost = groups.reduce(0) { $0 + $1.numbers.count } / Self.postingsPerEntry
        guard !groups.contains(where: \.numbers.isEmpty) else {
            (listed, listedCount, share) = ([], nil, 0)
            return
        }
        let counted = groups.filter { $0.numbers.count <= Self.mostListedTerms }
            .map { group in
                (group, count: group.numbers.reduce(0) { $0 + terms.estimatedCount(of: $1) })
            }
            .sorted { $0.count < $1.count }
        share = counted.reduce(1) { $0 * min(1, Double($1.count) / Double(max(1, eventCount))) }
        let least = counted.first?.count ?? 0
        let chosen = counted.prefix { $0.count / Self.mostListedTimes <= least }
        listed = chosen.map(\.0)
        listedCount = chosen.isEmpty ? nil : chosen.reduce(0) { $0 + $1.count }
    }

    /// Whether no event has terms of one of the groups.
    var excludesAll: Bool { groups.contains { $0.numbers.isEmpty } }

    /// Returns false if none of the events with this signature can meet all conditions.
    @inline(__always)
    func mayMatch(_ signature: TermSignature) -> Bool {
        groups.allSatisfy { $0.mayMatch(signature) }
    }

    /// Returns whether an event of a leaf, whose terms these are, meets all conditions.
    @inline(__always)
    func matches(_ labels: PackedBytes, _ words: PackedBytes, at index: Int) -> Bool {
        for group in groups where !group.matches(labels, words, at: index) { return false }
        return true
    }

    /// The cost of `candidates`, as a number of events that are compared; nil if it is too large.
    var candidatesCost: Int? { listedCount.map { $0 / Self.postingsPerEntry + 1 } }

    /// The number of candidates at most, if it is known before they are read.
    var candidateCount: Int? { listed.count == 1 ? listedCount : nil }

    /// Returns the ids of events that have at least all of the rarer terms, in rising order.
    func candidates(in terms: TermIndex) -> [Int64] {
        var common: [Int64]?
        for group in listed {
            var ids: [Int64] = []
            for number in group.numbers { terms.appendIDs(of: number, to: &ids) }
            if group.numbers.count > 1 { ids.sortAndRemoveRepetitions() }
            common = common.map { $0.intersection(ids) } ?? ids
        }
        return common ?? []
    }
}

extension [Int64] {
    fileprivate mutating func sortAndRemoveRepetitions() {
        sort()
        var kept = 0
        for index in indices where index == 0 || self[index] != self[kept - 1] {
            self[kept] = self[index]
            kept += 1
        }
        removeLast(count - kept)
    }

    /// Returns the elements that another array has, too; both are sorted.
    fileprivate func intersection(_ other: [Int64]) -> [Int64] {
        var both: [Int64] = []
        var next = other.startIndex
        for element in self {
            while next < other.endIndex, other[next] < element { next += 1 }
            if next < other.endIndex, other[next] == element { both.append(element) }
        }
        return both
    }
}
