import Cells
import Glibc
import Randomness

extension SeededGenerator {
    /// Returns a point anywhere on the sphere.
    mutating func point() -> UnitVector {
        let z = Double.random(in: -1...1, using: &self)
        let angle = Double.random(in: 0...(2 * .pi), using: &self)
        let radius = (1 - z * z).squareRoot()
        return (radius * cos(angle), radius * sin(angle), z)
    }

    /// Returns a point at an angle in radians from another one, in a random direction.
    mutating func point(at angle: Double, from center: UnitVector) -> UnitVector {
        let other = point()
        let side = normalized(cross(center, other))
        return normalized(
            (
                center.x * cos(angle) + side.x * sin(angle),
                center.y * cos(angle) + side.y * sin(angle),
                center.z * cos(angle) + side.z * sin(angle)
            )
        )
    }
}

/// The poles, points on the antimeridian, centers, edges and corners of the cube's faces, and some
/// others.
func centers(using generator: inout SeededGenerator) -> [UnitVector] {
    var points: [UnitVector] = []
    for x in [-1.0, 0, 1] {
        for y in [-1.0, 0, 1] {
            for z in [-1.0, 0, 1] where (x, y, z) != (0, 0, 0) {
                points.append(normalized((x, y, z)))
            }
        }
    }
    points.append(unitVector(latitude: -17, longitude: 180))
    points.append(unitVector(latitude: 70, longitude: -180))
    for _ in 1...20 { points.append(generator.point()) }
    return points
}

func unitVector(latitude: Double, longitude: Double) -> UnitVector {
    let (latitude, longitude) = (latitude * .pi / 180, longitude * .pi / 180)
    return (cos(latitude) * cos(longitude), cos(latitude) * sin(longitude), sin(latitude))
}

func angle(between one: UnitVector, and other: UnitVector) -> Double {
    let product = cross(one, other)
    let sine = (product.x * product.x + product.y * product.y + product.z * product.z).squareRoot()
    return atan2(sine, one.x * other.x + one.y * other.y + one.z * other.z)
}

private func cross(_ one: UnitVector, _ other: UnitVector) -> UnitVector {
    (
        one.y * other.z - one.z * other.y, one.z * other.x - one.x * other.z,
        one.x * other.y - one.y * other.x
    )
}

private func normalized(_ vector: UnitVector) -> UnitVector {
    let length = (vector.x * vector.x + vector.y * vector.y + vector.z * vector.z).squareRoot()
    return (vector.x / length, vector.y / length, vector.z / length)
}
