import Glibc

/// A box between two meridians and two parallels; all four belong to it.
package struct BoundingBox: Equatable, Sendable {
    /// Degrees, -180 to 180; the box goes from here eastward.
    package let west: Double
    package let south: Double
    /// Degrees, -180 to 180; less than `west` if the box crosses the antimeridian.
    package let east: Double
    package let north: Double
    /// Whether it goes all around the globe.
    package let isAround: Bool

    /// Creates a box.
    ///
    /// - Parameters:
    ///   - west: Degrees, any finite number, as `east`. If it is greater than `east`, the box
    ///     crosses the antimeridian.
    ///   - south: Degrees, -90 to 90, at most `north`.
    ///   - east: If it is 360 or more greater than `west`, the box goes around the globe.
    ///   - north: Degrees, -90 to 90.
    package init(west: Double, south: Double, east: Double, north: Double) {
        self.west = west.remainder(dividingBy: 360)
        self.south = south
        self.east = east.remainder(dividingBy: 360)
        self.north = north
        isAround = east - west >= 360
    }

    /// Returns whether the box contains a place, whose longitude is from -180 to 180.
    package func contains(_ place: Coordinate) -> Bool {
        guard south <= place.latitude, place.latitude <= north else { return false }
        if isAround { return true }
        // Both are the same meridian.
        if abs(place.longitude) == 180 { return containsLongitude(180) || containsLongitude(-180) }
        return containsLongitude(place.longitude)
    }

    private func containsLongitude(_ longitude: Double) -> Bool {
        west <= east
            ? west <= longitude && longitude <= east
            : west <= longitude || longitude <= east
    }
}

extension BoundingBox {
    /// A test of points on the sphere that needs no trigonometry.
    package struct PointTest: Sendable {
        private let south: Double
        private let north: Double
        private let west: (x: Double, y: Double)
        private let east: (x: Double, y: Double)
        private let isNarrow: Bool
        private let isAround: Bool

        /// More than rounding changes of a product, and less than 0.01 mm on the earth.
        private static let error = 1e-12

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

        /// Returns whether a point is in the box; nil if it is too near to an edge to tell.
        @inline(__always)
        package func contains(_ point: Coordinate.UnitVector) -> Bool? {
            let height = min(point.z - south, north - point.z)
            guard height > -Self.error else { return false }
            guard !isAround else { return height > Self.error ? true : nil }
            let fromWest = west.x * point.x + west.y * point.y
            let fromEast = east.x * point.x + east.y * point.y
            let inside = isNarrow ? min(fromWest, fromEast) : max(fromWest, fromEast)
            guard inside > -Self.error else { return false }
            return inside > Self.error && height > Self.error ? true : nil
        }
    }
}
