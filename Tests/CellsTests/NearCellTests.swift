import Cells
import Randomness
import SphereSupport
import Testing

/// Cells with bounds of their distances from a point.
@Suite struct NearCellTests {
    @Test func boundTheDistancesOfTheirPlaces() {
        var generator = SeededGenerator(seed: 1)
        let places = centers(using: &generator)
        for center in centers(using: &generator) {
            for place in places {
                let distance = angle(between: center, and: place)
                let key = CellKey(place)
                var cells = NearCell.faces(around: center)
                for level in 0...CellKey.maximumLevel {
                    let own = cells.filter { $0.keys.contains(key) }
                    #expect(own.map(\.keys) == [key.keys(ofParentAt: level)])
                    guard let cell = own.first else { return }
                    #expect(cell.nearest <= distance && distance <= cell.farthest)
                    cells = cell.quarters
                }
                #expect(cells.isEmpty)
            }
        }
    }

    @Test func areDividedInTheOrderOfTheirKeys() {
        let faces = NearCell.faces(around: unitVector(latitude: 10, longitude: 20))
        #expect(faces.first?.keys.lowerBound == CellKey.all.lowerBound)
        #expect(faces.last?.keys.upperBound == CellKey.all.upperBound)
        for face in faces {
            let quarters = face.quarters
            #expect(quarters.first?.keys.lowerBound == face.keys.lowerBound)
            #expect(quarters.last?.keys.upperBound == face.keys.upperBound)
            for (one, next) in zip(quarters, quarters.dropFirst()) {
                #expect(one.keys.upperBound.rawValue + 1 == next.keys.lowerBound.rawValue)
            }
        }
    }

    /// Otherwise a search would open all of them.
    @Test func haveBoundsNearTheirSizes() {
        var cell = NearCell.faces(around: unitVector(latitude: 0, longitude: 0))[0]
        for _ in 0..<12 { cell = cell.quarters[0] }

        #expect(cell.farthest - cell.nearest < 3e-3)
    }
}
