import Glibc

extension Coordinate {
    /// The radius of the sphere on which distances are measured, in km.
    package static let sphereRadius = 6371.0

    /// The great-circle distance to `other`, in km.
    ///
    /// It is the angle between the unit vectors, `atan2(|a × b|, a · b)`, times the radius. Unlike
    /// the arc cosine of `a · b` this is well-conditioned at every angle, so it is off by less than
    /// a micrometre from coincident points to antipodes, and it has no special case at the
    /// antimeridian or the poles. Equal points are exactly 0 apart, and swapping the points gives
    /// exactly the same distance.
    package func distance(to other: Coordinate) -> Double {
        Coordinate.distance(from: unitVector, to: other.unitVector)
    }

    /// A point on the sphere of radius 1: `x` towards latitude 0 and longitude 0, `y` towards
    /// longitude 90, `z` towards the north pole.
    package typealias UnitVector = (x: Double, y: Double, z: Double)

    /// The great-circle distance in km between points given by their unit vectors; for those who
    /// compare one point with many, and need not compute its vector again and again.
    package static func distance(from a: UnitVector, to b: UnitVector) -> Double {
        let crossX = a.y * b.z - a.z * b.y
        let crossY = a.z * b.x - a.x * b.z
        let crossZ = a.x * b.y - a.y * b.x
        let sine = (crossX * crossX + crossY * crossY + crossZ * crossZ).squareRoot()
        let cosine = a.x * b.x + a.y * b.y + a.z * b.z
        return sphereRadius * atan2(sine, cosine)
    }

    /// The point on the sphere of radius 1; coordinates that name the same point, at a pole or on
    /// the antimeridian, give the very same vector.
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
