import Model

/// The events of a leaf as a whole, for searches that need no single event.
struct PlaceTotals: Sendable {
    let sum: PlaceSum
    /// The smallest box with all events that doesn't cross the antimeridian, to about 1e-13
    /// degrees.
    let bounds: BoundingBox
    /// ms since 1970, as `firstEnd`.
    ///
    /// The first start and the last end are in the leaf's summary.
    let lastStart: Int64
    let firstEnd: Int64

    /// Adds up events; there is at least one.
    init(_ points: [PlaceLeaf.MapPoint], _ values: [FilterValues]) {
        var sum = PlaceSum()
        var (west, south, east, north) = (180.0, 90.0, -180.0, -90.0)
        for (index, point) in points.enumerated() {
            let place = point.place
            sum.add(index, point)
            (west, east) = (min(west, place.longitude), max(east, place.longitude))
            (south, north) = (min(south, place.latitude), max(north, place.latitude))
        }
        var (lastStart, firstEnd) = (Int64.min, Int64.max)
        for values in values {
            lastStart = max(lastStart, values.startedAt)
            firstEnd = min(firstEnd, values.end)
        }
        self.sum = sum
        bounds = BoundingBox(west: west, south: south, east: east, north: north)
        self.lastStart = lastStart
        self.firstEnd = firstEnd
    }
}

/// The sum of events of a leaf.
struct PlaceSum: BitwiseCopyable, Sendable {
    private(set) var count = 0
    /// The sums in units of a map (`MapUnits`), in which 180° east counts as 180° west.
    private(set) var latitudes = 0.0
    private(set) var longitudes = 0.0
    /// The lowest id, and the index of its event in the leaf.
    private(set) var firstID: Int64 = 0
    private(set) var indexOfFirstID = 0

    /// Adds the event at an index of the leaf.
    mutating func add(_ index: Int, _ point: PlaceLeaf.MapPoint) {
        count += 1
        latitudes += MapUnits.units(point.place.latitude)
        longitudes += MapUnits.units(point.place.longitude)
        if count == 1 || point.id < firstID { (firstID, indexOfFirstID) = (point.id, index) }
    }
}

/// Degrees in units of 1e-9, about 0.1 mm.
///
/// They are whole numbers, so their sums are the same in any order, and with them the bytes that
/// different databases return.
enum MapUnits {
    private static let perDegree = 1e9
    /// A number so large that doubles near it have no fractions.
    private static let whole = 0x1.8p52

    /// Returns degrees in units, rounded to a whole number without a call.
    @inline(__always)
    static func units(_ degrees: Double) -> Double {
        (degrees * perDegree + whole) - whole
    }

    /// Returns the mean of a sum of units, rounded to 1e-5 degrees.
    static func mean(_ sum: Int64, _ count: Int) -> Double {
        // Adding 0 turns -0 into 0.
        (Double(sum) / (Double(count) * perDegree / 1e5)).rounded() / 1e5 + 0
    }
}

extension Coordinate {
    /// The same place with a longitude from -180 on, but less than 180.
    var withLongitudeBelow180: Coordinate {
        longitude >= 180 ? Coordinate(latitude: latitude, longitude: -180) : self
    }
}
