import Events
import Glibc
import Randomness

/// The poles, points on the antimeridian, centers, edges and corners of the cube's faces, points
/// just beside each of them, and some others.
func centers(using generator: inout SeededGenerator) -> [UnitVector] {
    var points: [UnitVector] = []
    for x in [-1.0, 0, 1] {
        for y in [-1.0, 0, 1] {
            for z in [-1.0, 0, 1] where (x, y, z) != (0, 0, 0) {
                let point = normalized(x, y, z)
                points.append(point)
                let angle = exp(Double.random(in: log(1e-9)...log(1e-3), using: &generator))
                points.append(generator.point(at: angle, from: point))
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
