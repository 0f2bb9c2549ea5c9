import Glibc

/// A box between two meridians and two parallels, including its edges.
package struct BoundingBox: Equatable, Sendable {
    /// The western edge in degrees, -180 to 180.
    package let west: Double
    package let south: Double
    /// The eastern edge in degrees, -180 to 180; less than `west` if the box crosses the
    /// antimeridian.
    package let east: Double
    package let north: Double
    /// Whether the box spans all longitudes.
    package let isAround: Bool

    /// Creates a box.
    ///
    /// - Parameters:
    ///   - west: The western edge in degrees, any finite number. If it is greater than `east`, the
    ///     box crosses the antimeridian.
    ///   - south: The southern edge in degrees, -90 to 90, at most `north`.
    ///   - east: The eastern edge in degrees, any finite number. If it is at least 360 greater than
    ///     `west`, the box spans all longitudes.
    ///   - north: The northern edge in degrees, -90 to 90.
    package init(west: Double, south: Double, east: Double, north: Double) {
        self.west = west.remainder(dividingBy: 360)
        self.south = south
        self.east = east.remainder(dividingBy: 360)
        self.north = north
        isAround = east - west >= 360
    }

    /// All places.
    package static let world = BoundingBox(west: -180, south: -90, east: 180, north: 90)

    /// Returns whether the box contains a place with a longitude from -180 to 180.
    package func contains(_ place: Coordinate) -> Bool {
        guard south <= place.latitude, place.latitude <= north else { return false }
        if isAround { return true }
        // -180 and 180 are the same meridian.
        if abs(place.longitude) == 180 { return containsLongitude(180) || containsLongitude(-180) }
        return containsLongitude(place.longitude)
    }

    /// The width in degrees, up to 360.
    private var width: Double {
        isAround ? 360 : east >= west ? east - west : east - west + 360
    }

    /// The point in the middle of the box.
    var middle: UnitVector {
        let (latitude, longitude) = ((south + north) / 2, west + width / 2)
        return Coordinate.wrapping(latitude: latitude, longitude: longitude).unitVector
    }

    /// The distance from the middle of the box to its farthest corner, in km; infinity if it spans
    /// half of the sphere or more.
    var reach: Double {
        guard width < 180 else { return .infinity }
        let corners = [south, north].map { Coordinate.wrapping(latitude: $0, longitude: west) }
        return corners.map { Coordinate.distance(from: middle, to: $0.unitVector) }.max() ?? 0
    }

    private func containsLongitude(_ longitude: Double) -> Bool {
        west <= east
            ? west <= longitude && longitude <= east
            : west <= longitude || longitude <= east
    }
}

extension BoundingBox {
    /// A test of balls in space that needs no trigonometry.
    package struct BallTest: Sendable {
        @usableFromInline let south: Double
        @usableFromInline let north: Double
        @usableFromInline let west: (x: Double, y: Double)
        @usableFromInline let east: (x: Double, y: Double)
        @usableFromInline let isNarrow: Bool
        @usableFromInline let isAround: Bool

        /// A bound of the rounding errors of a product; less than 0.01 mm on the earth.
        @usableFromInline static var error: Double { 1e-12 }

        package init(_ box: BoundingBox) {
            let radians = Double.pi / 180
            south = box.south <= -90 ? -2 : sin(box.south * radians)
            north = box.north >= 90 ? 2 : sin(box.north * radians)
            let (west, east) = (box.west * radians, box.east * radians)
            self.west = (x: -sin(west), y: cos(west))
            self.east = (x: sin(east), y: -cos(east))
            let width = box.east - box.west
            isNarrow = (width < 0 ? width + 360 : width) <= 180
            isAround = box.isAround
        }

        /// Returns false if no point of a ball in space is in the box.
        ///
        /// `radius` is in earth radii. The result may be true for a ball beside the box.
        @inlinable
        package func mayContainPoint(ofBallAt center: UnitVector, radius: Double) -> Bool {
            let distance = radius + Self.error
            guard min(center.z - south, north - center.z) > -distance else { return false }
            guard !isAround else { return true }
            let fromWest = west.x * center.x + west.y * center.y
            let fromEast = east.x * center.x + east.y * center.y
            return (isNarrow ? min(fromWest, fromEast) : max(fromWest, fromEast)) > -distance
        }
    }
}
