/// A polygon on the sphere whose edges are great circles.
///
/// The gnomonic projection maps great circles to straight lines. Its plane touches the sphere at
/// the mean of the corners (<https://en.wikipedia.org/wiki/Gnomonic_projection>).
package struct SphericalPolygon: Equatable, Sendable {
    private struct Corner: Equatable {
        let x: Double
        let y: Double
    }

    /// The mean of the corners, on the sphere.
    package let center: UnitVector
    /// The greatest angle between the center and a corner, in radians; less than π/2.
    package let angle: Double
    private let first: UnitVector
    private let second: UnitVector
    private let corners: [Corner]

    /// Creates a polygon, or returns nil if a corner is 90° or more from the mean of the corners.
    package init?(corners places: [Coordinate]) {
        let points = places.map(\.unitVector)
        let sum = points.reduce((x: 0, y: 0, z: 0)) { sum, point in
            (x: sum.x + point.x, y: sum.y + point.y, z: sum.z + point.z)
        }
        guard let center = Vector.normalized(sum) else { return nil }
        let axis: UnitVector =
            abs(center.z) < 0.9 ? (x: 0, y: 0, z: 1) : (x: 1, y: 0, z: 0)
        guard let first = Vector.normalized(Vector.cross(axis, center)) else { return nil }
        self.center = center
        self.first = first
        second = Vector.cross(center, first)
        var corners: [Corner] = []
        var angle = 0.0
        for point in points {
            guard let corner = Self.project(point, center, first, second) else { return nil }
            corners.append(corner)
            let distance = Coordinate.distance(from: center, to: point)
            angle = max(angle, distance / Coordinate.sphereRadius)
        }
        self.corners = corners
        self.angle = angle
    }

    /// Returns whether a place is inside by the even-odd rule; O(n) for n corners.
    ///
    /// A place on an edge may count as inside or outside.
    package func contains(_ place: UnitVector) -> Bool {
        guard let point = Self.project(place, center, first, second), var last = corners.last
        else { return false }
        var isInside = false
        for corner in corners {
            if (corner.y > point.y) != (last.y > point.y) {
                let share = (point.y - corner.y) / (last.y - corner.y)
                if point.x < corner.x + share * (last.x - corner.x) { isInside.toggle() }
            }
            last = corner
        }
        return isInside
    }

    package static func == (one: SphericalPolygon, other: SphericalPolygon) -> Bool {
        one.center == other.center && one.corners == other.corners
    }

    /// Projects a place onto the plane, or returns nil if the place is 90° or more from the center.
    private static func project(
        _ place: UnitVector,
        _ center: UnitVector,
        _ first: UnitVector,
        _ second: UnitVector
    ) -> Corner? {
        let height = Vector.dot(place, center)
        guard height > 1e-15 else { return nil }
        return Corner(x: Vector.dot(place, first) / height, y: Vector.dot(place, second) / height)
    }
}

/// Arithmetic of vectors.
private enum Vector {
    static func dot(_ a: UnitVector, _ b: UnitVector) -> Double {
        a.x * b.x + a.y * b.y + a.z * b.z
    }

    static func cross(_ a: UnitVector, _ b: UnitVector) -> UnitVector {
        (x: a.y * b.z - a.z * b.y, y: a.z * b.x - a.x * b.z, z: a.x * b.y - a.y * b.x)
    }

    /// Scales a vector to length 1, or returns nil if the vector is too short to have a direction.
    static func normalized(_ a: UnitVector) -> UnitVector? {
        let length = dot(a, a).squareRoot()
        guard length > 1e-9 else { return nil }
        return (x: a.x / length, y: a.y / length, z: a.z / length)
    }
}
