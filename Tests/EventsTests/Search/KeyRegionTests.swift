import Randomness
import Testing

@testable import Events

@Suite struct KeyRegionTests {
    @Test(arguments: 1...4)
    func `contains the keys of its ranges and no others`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let all = CellKey.all.lowerBound.rawValue...CellKey.all.upperBound.rawValue
        for _ in 0..<50 {
            // Wide and narrow ranges, of which no two touch.
            let edges = Set((0..<8).map { _ in Int64.random(in: all, using: &generator) }).sorted()
            let ranges = stride(from: 0, to: edges.count - 1, by: 2).map { index in
                let end = Bool.random(using: &generator) ? edges[index + 1] : edges[index] + 5
                return CellKey(rawValue: edges[index])...CellKey(rawValue: end)
            }
            let keys =
                edges.flatMap { [$0 - 1, $0, $0 + 1, $0 + 5, $0 + 6] }
                + (0..<100).map { _ in Int64.random(in: all, using: &generator) }
            for key in keys.map(CellKey.init) where CellKey.all.contains(key) {
                let isContained = ranges.contains { $0.contains(key) }
                #expect(Self.region(ranges, contains: key) == isContained)
            }
        }
    }

    @Test func `contains nothing without ranges, and all keys in the range of all`() {
        let edges = [CellKey.all.lowerBound, CellKey.all.upperBound]

        #expect(edges.allSatisfy { !Self.region([], contains: $0) })
        #expect(edges.allSatisfy { Self.region([CellKey.all], contains: $0) })
    }

    private static func region(_ ranges: [ClosedRange<CellKey>], contains key: CellKey) -> Bool {
        ranges.contains(key)
    }
}
