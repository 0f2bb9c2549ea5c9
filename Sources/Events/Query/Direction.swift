import Glibc

/// The distance and bearing of a place from a point.
package struct Direction: Equatable, Sendable {
    /// The great-circle distance in whole millimetres, rounded half up.
    ///
    /// This number is compared with the radius, decides the order and is shown to clients.
    package let millimetres: Int64
    /// The initial bearing in tenths of a degree, 0 to 3599, clockwise from north, or nil if the
    /// distance is 0.
    package let bearingTenths: Int?

    package init(millimetres: Int64, bearingTenths: Int?) {
        self.millimetres = millimetres
        self.bearingTenths = bearingTenths
    }

    /// The bearing in degrees, 0 to 359.9, or nil if the distance is 0.
    package var bearing: Double? { bearingTenths.map { Double($0) / 10 } }

    /// Creates the direction of a place whose distance from a point is known.
    package init(from origin: DirectionOrigin, to place: UnitVector, millimetres: Int64) {
        self.millimetres = millimetres
        bearingTenths = millimetres == 0 ? nil : origin.bearingTenths(to: place)
    }
}

/// The point that distances and bearings are measured from.
package struct DirectionOrigin: Equatable, Sendable {
    package let coordinate: Coordinate
    package let point: UnitVector
    private let east: UnitVector
    private let north: UnitVector

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
    package func millimetres(to place: UnitVector) -> Int64 {
        Self.millimetres(inKilometres: Coordinate.distance(from: point, to: place))
    }

    /// Returns a distance in whole millimetres, rounded half up.
    static func millimetres(inKilometres distance: Double) -> Int64 {
        // At most half the globe, 2.1e10 mm. The conversion rounds towards zero.
        Int64(distance * 1e6 + 0.5)
    }

    /// Returns the initial bearing of a place in tenths of a degree, 0 to 3599.
    ///
    /// It is the angle between the place's northward and eastward components
    /// (<https://en.wikipedia.org/wiki/Great-circle_navigation>).
    fileprivate func bearingTenths(to place: UnitVector) -> Int {
        let eastward = east.x * place.x + east.y * place.y + east.z * place.z
        let northward = north.x * place.x + north.y * place.y + north.z * place.z
        let degrees = atan2(eastward, northward) * 180 / .pi
        let tenths = Int((degrees < 0 ? degrees + 360 : degrees) * 10 + 0.5)
        return tenths >= 3600 ? 0 : tenths
    }

    package static func == (one: DirectionOrigin, other: DirectionOrigin) -> Bool {
        one.coordinate == other.coordinate
    }
}

/// A unit of distance in requests and responses.
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

    /// The number of decimals of a distance in whole millimetres; nil if it has more.
    package var decimals: Int? {
        switch self {
        case .kilometres: 6
        case .metres: 3
        case .miles: nil
        }
    }

    /// Returns a distance in this unit.
    package func distance(ofMillimetres distance: Int64) -> Double {
        Double(distance) / millimetres
    }
}
