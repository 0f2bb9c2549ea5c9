import Events
import Randomness
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
