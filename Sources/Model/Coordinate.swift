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
    /// A longitude that lies inside already, both ends included, is kept bit for bit. Others lose
    /// nothing either: the IEEE 754 remainder is exact.
    package static func wrapping(latitude: Double, longitude: Double) -> Coordinate {
        let isInside = (-180.0...180.0).contains(longitude)
        return Coordinate(
            latitude: latitude,
            longitude: isInside ? longitude : longitude.remainder(dividingBy: 360)
        )
    }
}
