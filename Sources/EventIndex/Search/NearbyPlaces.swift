import Cells
import Glibc
import Model

/// Converts points of the sphere to latitudes and longitudes, fast if they are near each other.
///
/// The angles between a point and one before it are small, so a short series replaces the arc
/// tangents. The results are exact to about 1e-13 degrees.
struct NearbyPlaces {
    /// A point with the sines and cosines of its angles, in radians.
    private struct Reference {
        let latitude: Double
        let longitude: Double
        let sineOfLatitude: Double
        let cosineOfLatitude: Double
        let sineOfLongitude: Double
        let cosineOfLongitude: Double
    }

    private var reference: Reference?

    /// Returns the place of a point.
    mutating func place(of point: UnitVector) -> Coordinate {
        let fromAxis = (point.x * point.x + point.y * point.y).squareRoot()
        if let reference {
            let (sine, cosine) = (reference.sineOfLongitude, reference.cosineOfLongitude)
            let eastward = Self.smallAngle(
                point.y * cosine - point.x * sine,
                point.x * cosine + point.y * sine
            )
            let northward = Self.smallAngle(
                point.z * reference.cosineOfLatitude - fromAxis * reference.sineOfLatitude,
                fromAxis * reference.cosineOfLatitude + point.z * reference.sineOfLatitude
            )
            if let eastward, let northward {
                let longitude = reference.longitude + eastward
                if abs(longitude) < .pi {
                    return Self.coordinate(reference.latitude + northward, longitude)
                }
            }
        }
        let latitude = atan2(point.z, fromAxis)
        let longitude = atan2(point.y, point.x)
        reference = Reference(
            latitude: latitude,
            longitude: longitude,
            sineOfLatitude: sin(latitude),
            cosineOfLatitude: cos(latitude),
            sineOfLongitude: sin(longitude),
            cosineOfLongitude: cos(longitude)
        )
        return Self.coordinate(latitude, longitude)
    }

    /// The greatest tangent for which four terms of the series are exact.
    private static let maximumTangent = 0.008

    /// Returns the angle with this sine and cosine, both multiplied by a positive number; nil if it
    /// is not small.
    ///
    /// The series is Gregory's (<https://en.wikipedia.org/wiki/Arctangent_series>).
    private static func smallAngle(_ sine: Double, _ cosine: Double) -> Double? {
        guard abs(sine) < maximumTangent * cosine else { return nil }
        let tangent = sine / cosine
        let square = tangent * tangent
        return tangent * (1 - square * (1 / 3 - square * (1 / 5 - square / 7)))
    }

    private static func coordinate(_ latitude: Double, _ longitude: Double) -> Coordinate {
        Coordinate(latitude: latitude * 180 / .pi, longitude: longitude * 180 / .pi)
    }
}
