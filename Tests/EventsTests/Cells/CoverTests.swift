import Events
import Glibc
import Randomness
import Testing

/// The ranges of keys that cover a cap or a box, compared with the places that are in it.
@Suite struct CoverTests {
    private static let slack = Cap.slack * 0.999
    private static let angles = [0, 1e-9, 1e-5, 1e-3, 0.02, 0.3, 0.8, 1.5, .pi / 2, 2, 3, .pi]

    @Test(arguments: angles)
    func capIncludesEachPlace(angle: Double) {
        var generator = SeededGenerator(seed: 1)
        for center in centers(using: &generator) {
            let cap = Cap(center: center, angle: angle)
            let ranges = cap.keyRanges
            expectOrder(of: ranges, maximumCount: 50)
            for step in 0...60 {
                // The cover has the slack as well, except for what rounding may take from it.
                let extra = step % 3 == 0 ? Self.slack : 0
                let distance = angle * min(1, Double(step) / 40) + extra
                let point = generator.point(at: distance, from: center)
                #expect(
                    ranges.include(CellKey(point)),
                    "\(point) is \(distance) from \(center), but not in \(ranges)"
                )
            }
        }
    }

    @Test func capOfAllPlacesHasEachKey() {
        let ranges = Cap(center: (1, 0, 0), angle: 4).keyRanges
        #expect(ranges == [CellKey.all])
    }

    @Test(arguments: [-0.001, -.infinity, .nan])
    func capOfNoPlacesHasNoKey(angle: Double) {
        #expect(Cap(center: (1, 0, 0), angle: angle).keyRanges == [])
    }

    @Test func capIsCoveredTightly() {
        var generator = SeededGenerator(seed: 2)
        var inside = 0
        var covered = 0
        var rangeCount = 0
        for _ in 1...300 {
            let center = generator.point()
            let angle = exp(Double.random(in: log(1e-4)...log(0.3), using: &generator))
            let cap = Cap(center: center, angle: angle)
            let ranges = cap.keyRanges
            rangeCount += ranges.count
            for _ in 1...200 {
                // The square root spreads the points evenly over the area.
                let distance =
                    3 * angle * Double.random(in: 0...1, using: &generator).squareRoot()
                let point = generator.point(at: distance, from: center)
                if distance <= angle { inside += 1 }
                if ranges.include(CellKey(point)) { covered += 1 }
            }
        }
        #expect(inside > 5000)
        #expect(Double(covered) < 2.4 * Double(inside), "\(covered) for \(inside)")
        #expect(rangeCount < 7 * 300, "\(rangeCount)")
    }

    @Test func boxIncludesEachPlace() {
        var generator = SeededGenerator(seed: 3)
        for _ in 1...600 {
            let south = latitude(using: &generator)
            let north = max(south, latitude(using: &generator))
            let west = Double.random(in: -180...180, using: &generator)
            let width = [0, 1e-6, 0.01, 5, 90, 180, 270, 359, 360].randomElement(using: &generator)
            guard let width else { continue }
            let box = Box(south: south, north: north, west: west, east: west + width)
            let ranges = box.keyRanges
            expectOrder(of: ranges, maximumCount: 80)
            for _ in 1...40 {
                let latitude = [south, north, Double.random(in: south...north, using: &generator)]
                    .randomElement(using: &generator)
                let longitude = [
                    west, west + width,
                    Double.random(in: west...(west + width), using: &generator),
                ].randomElement(using: &generator)
                guard let latitude, let longitude else { continue }
                let point = unitVector(latitude: latitude, longitude: longitude)
                for place in [point, generator.point(at: Self.slack, from: point)] {
                    #expect(
                        ranges.include(CellKey(place)),
                        "\(place) of \(south), \(north), \(west), +\(width): \(ranges)"
                    )
                }
            }
        }
    }

    @Test func boxAcrossTheAntimeridianIsNarrow() {
        let ranges = Box(south: -20, north: -10, west: 175, east: -175).keyRanges
        #expect(ranges.include(CellKey(unitVector(latitude: -15, longitude: 180))))
        #expect(ranges.include(CellKey(unitVector(latitude: -10, longitude: -175))))
        #expect(!ranges.include(CellKey(unitVector(latitude: -15, longitude: 0))))
        #expect(!ranges.include(CellKey(unitVector(latitude: -15, longitude: 150))))
    }

    @Test func boxIsCoveredTightly() {
        var generator = SeededGenerator(seed: 4)
        var inside = 0
        var covered = 0
        for _ in 1...300 {
            let south = Double.random(in: -70...60, using: &generator)
            let height = exp(Double.random(in: log(0.01)...log(10), using: &generator))
            let west = Double.random(in: -180...180, using: &generator)
            let box = Box(south: south, north: south + height, west: west, east: west + height)
            let ranges = box.keyRanges
            for _ in 1...200 {
                let latitude = south + height * Double.random(in: -1...2, using: &generator)
                let longitude = west + height * Double.random(in: -1...2, using: &generator)
                let isInside =
                    (south...(south + height)).contains(latitude)
                    && (west...(west + height)).contains(longitude)
                if isInside { inside += 1 }
                let point = unitVector(latitude: latitude, longitude: longitude)
                if ranges.include(CellKey(point)) { covered += 1 }
            }
        }
        #expect(inside > 5000)
        #expect(Double(covered) < 2 * Double(inside), "\(covered) for \(inside)")
    }

    @Test func boxWithSouthAboveNorthHasNoKey() {
        #expect(Box(south: 1, north: 0, west: 0, east: 9).keyRanges == [])
    }

    @Test func boxOfAllPlacesHasEachKey() {
        let box = Box(south: -90, north: 90, west: -180, east: 180)
        #expect(box.keyRanges == [CellKey.all])
    }

    private func latitude(using generator: inout SeededGenerator) -> Double {
        switch generator.next() % 6 {
        case 0: -90
        case 1: 90
        case 2: 0
        default: Double.random(in: -90...90, using: &generator)
        }
    }

    private func expectOrder(of ranges: [ClosedRange<CellKey>], maximumCount: Int) {
        #expect(ranges.count <= maximumCount)
        for (one, other) in zip(ranges, ranges.dropFirst()) {
            #expect(one.upperBound.rawValue + 1 < other.lowerBound.rawValue)
        }
        #expect(ranges.allSatisfy { CellKey.all.contains($0.lowerBound) })
        #expect(ranges.allSatisfy { CellKey.all.contains($0.upperBound) })
    }
}

extension [ClosedRange<CellKey>] {
    fileprivate func include(_ key: CellKey) -> Bool {
        contains { $0.contains(key) }
    }
}
