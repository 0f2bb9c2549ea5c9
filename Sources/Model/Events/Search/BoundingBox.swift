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

    /// The latitude, in degrees, from which the longitude of a computed place says little.
    static let polarLatitude = 89.9

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

    /// Returns whether the box contains all of another one, which doesn't cross the antimeridian.
    ///
    /// Returns false if rounding (`Coordinate.roundingError`) could decide.
    package func surelyContains(_ other: BoundingBox) -> Bool {
        let error = Coordinate.roundingError
        guard south <= other.south - error, other.north + error <= north else { return false }
        if isAround { return true }
        guard max(-other.south, other.north) < Self.polarLatitude else { return false }
        let isEastOfWest = west <= other.west - error
        let isWestOfEast = other.east + error <= east
        return west <= east ? isEastOfWest && isWestOfEast : isEastOfWest || isWestOfEast
    }

    /// Returns whether the box contains a place that was computed, with a longitude from -180 to
    /// 180, or nil if rounding (`Coordinate.roundingError`) could decide.
    package func surelyContains(_ place: Coordinate) -> Bool? {
        let error = Coordinate.roundingError
        let height = min(place.latitude - south, north - place.latitude)
        guard height > -error else { return false }
        guard !isAround else { return height > error ? true : nil }
        // -180 and 180 are the same meridian.
        guard abs(place.longitude) < 180 - error, abs(place.latitude) < Self.polarLatitude
        else { return nil }
        let (fromWest, fromEast) = (place.longitude - west, east - place.longitude)
        let inside = west <= east ? min(fromWest, fromEast) : max(fromWest, fromEast)
        guard inside > -error else { return false }
        return inside > error && height > error ? true : nil
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

        /// Returns whether a point is in the box, or nil if the point is too near to an edge to
        /// decide.
        @inlinable
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

        /// Returns false if no point of a ball in space is in the box.
        ///
        /// `radius` is in earth radii. The result may be true for a ball beside the box.
        @inlinable
        package func mayContainPoint(
            ofBallAt center: Coordinate.UnitVector,
            radius: Double
        ) -> Bool {
            let distance = radius + Self.error
            guard min(center.z - south, north - center.z) > -distance else { return false }
            guard !isAround else { return true }
            let fromWest = west.x * center.x + west.y * center.y
            let fromEast = east.x * center.x + east.y * center.y
            return (isNarrow ? min(fromWest, fromEast) : max(fromWest, fromEast)) > -distance
        }
    }
}

extension BoundingBox {
    /// Whether the places in the box are exactly those whose latitudes and longitudes are between
    /// its edges.
    ///
    /// False if rounding (`Coordinate.roundingError`) could move places across the antimeridian or
    /// around a pole.
    package var isPlain: Bool {
        let error = Coordinate.roundingError
        return !isAround && west <= east && min(west, -east) > 2 * error - 180
            && max(-south, north) < Self.polarLatitude - error
    }

    /// Returns false if this box, which is plain, contains no place of another one, which doesn't
    /// cross the antimeridian.
    package func mayContainPlace(in other: BoundingBox) -> Bool {
        let error = Coordinate.roundingError
        return other.north > south - error && other.south < north + error
            && other.east > west - error && other.west < east + error
    }
}
