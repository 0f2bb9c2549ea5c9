import Events
import Glibc
import Randomness

extension SeededGenerator {
    /// Returns a point anywhere on the sphere.
    mutating func point() -> UnitVector {
        let z = Double.random(in: -1...1, using: &self)
        let angle = Double.random(in: 0...(2 * .pi), using: &self)
        let radius = (1 - z * z).squareRoot()
        return normalized(radius * cos(angle), radius * sin(angle), z)
    }

    /// Returns a point at an angle in radians from another one, in a random direction.
    mutating func point(at angle: Double, from center: UnitVector) -> UnitVector {
        let across = cross(center, point())
        let side = normalized(across.x, across.y, across.z)
        return normalized(
            center.x * cos(angle) + side.x * sin(angle),
            center.y * cos(angle) + side.y * sin(angle),
            center.z * cos(angle) + side.z * sin(angle)
        )
    }

    /// Returns a point whose coordinates differ by at most `spread` from those of another one.
    mutating func point(
        near center: UnitVector,
        within spread: Double = 0.001
    ) -> UnitVector {
        guard spread > 0 else { return center }
        let x = center.x + Double.random(in: -spread...spread, using: &self)
        let y = center.y + Double.random(in: -spread...spread, using: &self)
        let z = center.z + Double.random(in: -spread...spread, using: &self)
        return normalized(x, y, z)
    }
}

/// Returns the point in this direction.
func normalized(_ x: Double, _ y: Double, _ z: Double) -> UnitVector {
    let length = (x * x + y * y + z * z).squareRoot()
    return (x / length, y / length, z / length)
}

/// Returns the cross product of two vectors.
func cross(_ one: UnitVector, _ other: UnitVector) -> UnitVector {
    (
        one.y * other.z - one.z * other.y, one.z * other.x - one.x * other.z,
        one.x * other.y - one.y * other.x
    )
}
