import Cells
import Glibc
import Model
import Randomness

extension SeededGenerator {
    /// Returns a point anywhere on the sphere.
    mutating func point() -> UnitVector {
        let z = Double.random(in: -1...1, using: &self)
        let angle = Double.random(in: 0...(2 * .pi), using: &self)
        let radius = (1 - z * z).squareRoot()
        return normalized(radius * cos(angle), radius * sin(angle), z)
    }

    /// Returns a point whose coordinates differ by at most `spread` from those of another one.
    mutating func point(near center: UnitVector, within spread: Double = 0.001) -> UnitVector {
        guard spread > 0 else { return center }
        let x = center.x + Double.random(in: -spread...spread, using: &self)
        let y = center.y + Double.random(in: -spread...spread, using: &self)
        let z = center.z + Double.random(in: -spread...spread, using: &self)
        return normalized(x, y, z)
    }

    /// Returns a place with a random latitude and longitude.
    mutating func coordinate() -> Coordinate {
        Coordinate(
            latitude: Double.random(in: -90...90, using: &self),
            longitude: Double.random(in: -180...180, using: &self)
        )
    }
}

/// Returns the point in this direction.
func normalized(_ x: Double, _ y: Double, _ z: Double) -> UnitVector {
    let length = (x * x + y * y + z * z).squareRoot()
    return (x / length, y / length, z / length)
}
