import Glibc

extension Coordinate {
    /// The radius of the sphere for distances, in km.
    package static let sphereRadius = 6371.0

    /// Returns the great-circle distance to `other`, in km.
    ///
    /// It is the angle between the unit vectors, `atan2(|a × b|, a · b)`, times the radius. Unlike
    /// the arc cosine of `a · b`, this is well-conditioned at every angle. The error is less than a
    /// micrometre from coincident points to antipodes, and neither the antimeridian nor the poles
    /// are special cases. Equal points have the distance 0, and swapping the points gives exactly
    /// the same distance.
    package func distance(to other: Coordinate) -> Double {
        Coordinate.distance(from: unitVector, to: other.unitVector)
    }

    /// Returns the great-circle distance between two unit vectors, in km.
    ///
    /// Callers that compare one point with many compute its vector only once.
    package static func distance(from a: UnitVector, to b: UnitVector) -> Double {
        let crossX = a.y * b.z - a.z * b.y
        let crossY = a.z * b.x - a.x * b.z
        let crossZ = a.x * b.y - a.y * b.x
        let sine = (crossX * crossX + crossY * crossY + crossZ * crossZ).squareRoot()
        let cosine = a.x * b.x + a.y * b.y + a.z * b.z
        return sphereRadius * atan2(sine, cosine)
    }

    /// The point on the sphere of radius 1.
    ///
    /// Coordinates of the same point, at a pole or on the antimeridian, have identical vectors.
    package var unitVector: UnitVector {
        if abs(self.latitude) == 90 { return (x: 0, y: 0, z: self.latitude / 90) }
        let latitude = self.latitude * (Double.pi / 180)
        let longitude = (self.longitude == -180 ? 180 : self.longitude) * (Double.pi / 180)
        let distanceFromAxis = cos(latitude)
        return (
            x: distanceFromAxis * cos(longitude),
            y: distanceFromAxis * sin(longitude),
            z: sin(latitude)
        )
    }
}
