import Glibc

/// How far and in which direction a place is from a point.
package struct Direction: Equatable, Sendable {
    /// The great-circle distance in whole millimetres, rounded half up.
    ///
    /// The same number decides what is within a radius, orders events, and is shown.
    package let millimetres: Int64
    /// The initial course in tenths of a degree, 0 to 3599, clockwise from north; nil at the
    /// distance 0.
    package let bearingTenths: Int?

    package init(millimetres: Int64, bearingTenths: Int?) {
        self.millimetres = millimetres
        self.bearingTenths = bearingTenths
    }

    /// The bearing in degrees, 0 to 359.9; nil at the distance 0.
    package var bearing: Double? { bearingTenths.map { Double($0) / 10 } }

    /// Creates the direction of a place at this distance from a point.
    package init(
        from origin: DirectionOrigin,
        to place: Coordinate.UnitVector,
        millimetres: Int64
    ) {
        self.millimetres = millimetres
        bearingTenths = millimetres == 0 ? nil : origin.bearingTenths(to: place)
    }
}

/// A point from which distances and bearings are measured.
package struct DirectionOrigin: Equatable, Sendable {
    package let coordinate: Coordinate
    package let point: Coordinate.UnitVector
    private let east: Coordinate.UnitVector
    private let north: Coordinate.UnitVector

    package init(_ coordinate: Coordinate) {
        self.coordinate = coordinate
        point = coordinate.unitVector
        let longitude = coordinate.longitude * .pi / 180
        let latitude = coordinate.latitude * .pi / 180
        east = (x: -sin(longitude), y: cos(longitude), z: 0)
        north = (
            x: -sin(latitude) * cos(longitude),
            y: -sin(latitude) * sin(longitude),
            z: cos(latitude)
        )
    }

    /// Returns the distance of a place in whole millimetres, rounded half up.
    package func millimetres(to place: Coordinate.UnitVector) -> Int64 {
        let kilometres = Coordinate.distance(from: point, to: place)
        // At most half the globe, 2.1e10 mm.
        return Int64((kilometres * 1e6 + 0.5).rounded(.down))
    }

    /// Returns the initial course to a place in tenths of a degree, 0 to 3599.
    ///
    /// The course is the angle of the place's projections to the north and to the east
    /// (<https://en.wikipedia.org/wiki/Great-circle_navigation>).
    fileprivate func bearingTenths(to place: Coordinate.UnitVector) -> Int {
        let eastward = east.x * place.x + east.y * place.y + east.z * place.z
        let northward = north.x * place.x + north.y * place.y + north.z * place.z
        let degrees = atan2(eastward, northward) * 180 / .pi
        let tenths = Int(((degrees < 0 ? degrees + 360 : degrees) * 10 + 0.5).rounded(.down))
        return tenths >= 3600 ? 0 : tenths
    }

    package static func == (one: DirectionOrigin, other: DirectionOrigin) -> Bool {
        one.coordinate == other.coordinate
    }
}

/// A unit in which clients measure distances.
package enum DistanceUnit: String, CaseIterable, Sendable {
    case kilometres = "km"
    case metres = "m"
    case miles = "mi"

    /// The number of millimetres in the unit.
    private var millimetres: Double {
        switch self {
        case .kilometres: 1e6
        case .metres: 1e3
        case .miles: 1_609_344
        }
    }

    /// Returns a distance in this unit.
    package func distance(ofMillimetres distance: Int64) -> Double {
        Double(distance) / millimetres
    }
}
