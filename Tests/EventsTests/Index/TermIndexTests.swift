import Randomness
import Testing

@testable import Events

/// The terms of all events, compared with a dictionary of the same events.
@Suite struct TermIndexTests {
    private static let all = TermCondition(terms: [EventTerm(text: "")], isPrefix: true)

    @Test(arguments: 0..<4)
    func `has the events of each term, and no term without events`(round: Int) throws {
        // Another run finds other faults; the seed repeats it.
        let seed = UInt64.random(in: .min ... .max)
        var generator = SeededGenerator(seed: seed)
        let terms = TermIndex(mostPending: round < 2 ? 200 : TermIndex.usualPending)
        var snapshot = EventSnapshot(keepsContents: round % 2 == 0, terms)
        var model: [Int64: [EventTerm]] = [:]
        for step in 0..<250 {
            // Sometimes others search an earlier state meanwhile, sometimes all is removed.
            let earlier = generator.next() % 2 == 0 ? snapshot : nil
            let removals: UInt64 = step % 80 == 79 ? 1 : 3
            let size = generator.next() % 20 == 0 ? 2000 : 1 + generator.next() % 8
            let changes = (0..<size).map { _ in
                let id = Int64.random(in: -300...300, using: &generator)
                guard generator.next() % removals > 0 else {
                    return EventChange(id: id, content: nil)
                }
                return EventChange(id: id, content: content(generator.terms(), &generator))
            }
            let former = model
            snapshot.apply(changes)
            for change in changes { model[change.id] = change.content?.terms }

            if step % 10 == 0 || step % 80 == 79 {
                expect(snapshot, has: model, "seed \(seed), step \(step)")
                if let earlier { expect(earlier, has: former, "seed \(seed), before \(step)") }
            }
        }

        snapshot.apply(model.keys.map { EventChange(id: $0, content: nil) })
        #expect(snapshot.byteCount == 0 && snapshot.termBytes == 0, "seed \(seed)")
    }

    private func content(
        _ terms: [EventTerm],
        _ generator: inout SeededGenerator
    ) -> EventChange.Content {
        EventChange.Content(
            coordinate: generator.coordinate(),
            values: FilterValues(startedAt: 0, end: 0, ownerID: 1),
            terms: terms,
            json: [1]
        )
    }

    private func expect(
        _ snapshot: EventSnapshot,
        has model: [Int64: [EventTerm]],
        _ comment: Comment
    ) {
        var expected: [EventTerm: [Int64]] = [:]
        for (id, terms) in model { for term in terms { expected[term, default: []].append(id) } }
        let numbers = snapshot.terms.numbers(of: Self.all, maximum: .max)
        let isExact = snapshot.terms.pending.count == 0
        let count = numbers?.count ?? 0
        #expect(isExact ? count == expected.count : count >= expected.count, comment)
        #expect(snapshot.termCount == count, comment)
        for (term, events) in expected {
            let found = snapshot.terms.numbers(of: TermCondition(terms: [term]), maximum: 1) ?? []
            guard let number = found.first else {
                Issue.record("\(comment): \(term.text) has no number")
                continue
            }
            var ids: [Int64] = []
            snapshot.terms.appendIDs(of: number, to: &ids)
            #expect(ids == events.sorted(), comment)
            #expect(snapshot.terms.estimatedCount(of: number) >= ids.count, comment)
        }
        expectOwnTerms(in: snapshot, model, comment)
        #expect(snapshot.terms.byteCount == snapshot.terms.countedBytes, comment)
    }

    /// The terms beside each event are its own.
    private func expectOwnTerms(
        in snapshot: EventSnapshot,
        _ model: [Int64: [EventTerm]],
        _ comment: Comment
    ) {
        var encodedBytes = 0
        for (id, terms) in model {
            guard let key = snapshot.key(of: id), let place = snapshot.places.position(of: key),
                let index = snapshot.places[place].index(of: key)
            else {
                Issue.record("\(comment): \(id) is missing")
                continue
            }
            let leaf = snapshot.places[place]
            let own = leaf.terms(at: index)
            encodedBytes += own.byteCount
            let condition = TermCondition(terms: terms)
            #expect(own.numbers == snapshot.terms.numbers(of: condition, maximum: 1), comment)
            let others = own.numbers.filter { !TermNumbers.isWord($0) }
            #expect(others.count == terms.count { !$0.isWord }, comment)
            #expect(others.allSatisfy(leaf.signature.mayContain), comment)
        }
        #expect(snapshot.termBytes == snapshot.terms.byteCount + encodedBytes, comment)
    }

    @Test func `keeps the last pending change of each posting`() {
        let seed = UInt64.random(in: .min ... .max)
        var generator = SeededGenerator(seed: seed)
        var pending = PendingPostings()
        var model: [UInt32: [Int64: Bool]] = [:]
        for step in 0..<300 {
            let count = step % 50 == 0 ? 500 : Int(generator.next() % 20)
            var changes: [UInt32: [Int64: Bool]] = [:]
            for _ in 0..<count {
                let (term, id) = (UInt32(generator.next() % 30), Int64(generator.next() % 80) - 40)
                changes[term, default: [:]][id] = generator.next() % 3 == 0
            }
            pending.append(changes.sorted())
            for (term, changes) in changes { model[term, default: [:]].merge(changes) { $1 } }
            for term in UInt32(0)..<30 {
                let expected = model.filter { $0.key == term }.sorted()
                #expect(pending.changes(of: term) == expected, "seed \(seed), step \(step)")
            }
        }
        #expect(pending.removeAll() == model.sorted(), "seed \(seed)")
        #expect(pending.count == 0 && pending.changes(of: 1).isEmpty)
    }

    @Test func `encodes every number`() {
        let labels: [UInt32] = [0, 1, 65_534, 131_069, 196_604, 1 << 20, 1 << 31 - 1]
        for numbers in [labels, labels + [1 << 31, 1 << 31 + 1, .max], [1 << 31], [.max]] {
            #expect(TermNumbers(numbers).numbers == numbers)
        }
        #expect(TermNumbers([]).byteCount == 0)
        #expect(TermNumbers([5, 65_539]).labels.count == 4)
        #expect(TermNumbers([5, 65_540]).labels.count == 8)
        #expect(TermNumbers([5, 1 << 31, .max]).words.count == 8)
    }

    @Test func `excludes most tags that a leaf lacks, and never one that it has`() {
        var labels = PackedBytes()
        for event in UInt32(0)..<64 {
            let tags = [3 * event, 3 * event + 1, 3 * event + 2]
            labels.append(TermNumbers(tags).labels)
        }
        let signature = TermSignature(labels)
        #expect((0..<192).allSatisfy(signature.mayContain))
        #expect((192..<2192).count(where: signature.mayContain) < 800)
        #expect(!(0..<192).contains(where: TermSignature(PackedBytes()).mayContain))
    }

    /// Swift compares texts by their characters, which can have several spellings.
    @Test func `compares the bytes of terms`() {
        let (one, other) = (EventTerm.series("\u{E9}"), EventTerm.series("e\u{301}"))
        #expect(one != other && other < one)
        #expect(EventTerm.word("a") < EventTerm.word("aa"))
        #expect(EventTerm.category("Music") == .category("music"))
    }
}

extension [UInt32: [Int64: Bool]] {
    /// Returns the changes of postings, which have a term, an id, and whether it is a removal.
    fileprivate func sorted() -> [PostingLeaf.Change] {
        flatMap { term, changes in
            changes.map { id, isRemoval in
                PostingLeaf.Change(posting: Posting(term: term, id: id), isRemoval: isRemoval)
            }
        }
        .sorted { $0.posting < $1.posting }
    }
}

extension TermIndex {
    /// The memory of all leaves, counted one by one.
    fileprivate var countedBytes: Int {
        func count<Leaf>(_ tree: SortedLeaves<Leaf>, from key: Leaf.Key) -> Int {
            var bytes = 0
            var next = tree.position(of: key)
            while let position = next {
                bytes += tree[position].byteCount
                next = tree.position(after: position)
            }
            return bytes
        }
        return count(numbers, from: EventTerm(text: "")) + count(terms, from: 0)
            + count(postings, from: Posting(term: 0, id: .min)) + count(unused, from: 0)
            + pending.byteCount + textBytes
    }
}
