/// A point on the sphere, in degrees: latitude -90 to 90, longitude -180 to 180.
package struct Coordinate: Hashable, Sendable {
    package let latitude: Double
    package let longitude: Double

    package init(latitude: Double, longitude: Double) {
        self.latitude = latitude
        self.longitude = longitude
    }

    /// The point at a longitude of any finite size, in degrees, brought into -180 to 180.
    ///
    /// A longitude that lies inside already, both ends included, is kept bit for bit: the
    /// remainder of IEEE 754 rounds nothing, and takes away the nearest multiple of 360, or the
    /// even one where two are as near, which is 0 at both ends.
    package static func wrapping(latitude: Double, longitude: Double) -> Coordinate {
        Coordinate(latitude: latitude, longitude: longitude.remainder(dividingBy: 360))
    }
}
