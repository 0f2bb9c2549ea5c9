/// A point on the sphere, in degrees: latitude -90 to 90, longitude -180 to 180.
package struct Coordinate: Hashable, Sendable {
    package let latitude: Double
    package let longitude: Double

    /// The largest difference between equal computed places, in degrees.
    package static let roundingError = 1e-9

    package init(latitude: Double, longitude: Double) {
        self.latitude = latitude
        self.longitude = longitude
    }

    /// Returns the point at a longitude of any finite size, in degrees, wrapped into -180 to 180.
    ///
    /// A longitude from -180 to 180 keeps its exact bits. The remainder of IEEE 754 doesn't round.
    /// It subtracts the nearest multiple of 360, and of two that are equally near, the even one. At
    /// -180 and 180 that is 0.
    package static func wrapping(latitude: Double, longitude: Double) -> Coordinate {
        Coordinate(latitude: latitude, longitude: longitude.remainder(dividingBy: 360))
    }
}
