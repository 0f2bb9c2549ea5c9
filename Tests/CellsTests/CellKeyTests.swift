import Cells
import Randomness
import SphereSupport
import Testing

@Suite struct CellKeyTests {
    /// Keys that were computed from the definition by another program.
    @Test(arguments: [
        (37.7897, -122.4002, 1_257_962_852_551_082_681), (52.52, 13.405, 839_712_118_879_539_696),
        (-33.8568, 151.2153, 1_048_300_363_240_986_555), (0.1, -0.1, 120_095_710_869_104_240),
        (89.9, 45.3, 792_633_793_145_606_250), (-89.9, -10.2, 1_609_286_814_066_488_186),
        (-17.8, 179.97, 1_027_177_291_192_161_444),
    ])
    func keyIsAsDefined(latitude: Double, longitude: Double, key: Int64) {
        let point = unitVector(latitude: latitude, longitude: longitude)
        #expect(CellKey(point).rawValue == key)
    }

    @Test(arguments: [
        ((1.0, 0.0, 0.0), 0), ((0, 1, 0), 1), ((0, 0, 1), 2), ((-1, 0, 0), 3), ((0, -1, 0), 4),
        ((0, 0, -1), 5),
    ])
    func middleOfAFaceIsTheMiddleOfItsKeys(point: UnitVector, face: Int64) {
        #expect(CellKey(point).rawValue == (face << 58) + (3 << 56))
    }

    @Test func everyPlaceHasAKey() {
        var generator = SeededGenerator(seed: 1)
        for point in centers(using: &generator) {
            #expect(CellKey.all.contains(CellKey(point)), "\(point)")
        }
    }

    @Test func parentsContainTheirCells() {
        var generator = SeededGenerator(seed: 2)
        for _ in 1...100 {
            let key = CellKey(generator.point())
            #expect(key.keys(ofParentAt: CellKey.maximumLevel) == key...key)
            #expect(key.keys(ofParentAt: 99) == key...key)
            #expect(key.keys(ofParentAt: -1) == key.keys(ofParentAt: 0))
            for level in 0..<CellKey.maximumLevel {
                let parent = key.keys(ofParentAt: level)
                let child = key.keys(ofParentAt: level + 1)
                #expect(parent.contains(child.lowerBound) && parent.contains(child.upperBound))
                #expect(parent.span == 4 * child.span)
                #expect(parent.lowerBound.rawValue % parent.span == 0)
            }
        }
    }

    @Test func isOfAPointThatAnotherLibraryRoundsDifferently() {
        let key = CellKey((0, 0, 1))

        #expect(key.isKey(of: (0, 0, 1)))
        // The pole is a corner of four leaf cells.
        #expect(CellKey((-1e-13, -1e-13, 1)) != key)
        #expect(CellKey((-1e-13, -1e-13, 1)).isKey(of: (0, 0, 1)))
        #expect(!CellKey(rawValue: key.rawValue + 1).isKey(of: (0, 0, 1)))
        #expect(!key.isKey(of: (0, 0, -1)))
    }

    /// Places near each other have a small common cell, except at the edges of large cells.
    @Test func nearbyPlacesHaveSimilarKeys() {
        var generator = SeededGenerator(seed: 3)
        var distances: [Int64] = []
        for _ in 1...1000 {
            let point = generator.point()
            // 6 m on the earth.
            let other = generator.point(at: 1e-6, from: point)
            distances.append(abs(CellKey(point).rawValue - CellKey(other).rawValue))
        }
        distances.sort()
        #expect(distances[500] < 1 << 20)
    }
}

extension ClosedRange<CellKey> {
    fileprivate var span: Int64 {
        upperBound.rawValue - lowerBound.rawValue + 1
    }
}
