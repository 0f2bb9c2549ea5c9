import Model

/// The events of a leaf as a whole, for searches that need no single event.
struct PlaceTotals: Sendable {
    /// The smallest box with all events that doesn't cross the antimeridian, to half a unit of a
    /// map.
    let bounds: BoundingBox
    let sum: PlaceSum
    /// ms since 1970, as `firstEnd`.
    ///
    /// The first start and the last end are in the leaf's summary.
    let lastStart: Int64
    let firstEnd: Int64

    /// Adds up events; there is at least one.
    init(_ points: MapPoints, _ values: [FilterValues]) {
        var sum = PlaceSum()
        var (west, south, east, north) = (Int64.max, Int64.max, Int64.min, Int64.min)
        for index in points.indices {
            let point = points[index]
            sum.add(index, point)
            (west, east) = (min(west, point.longitude), max(east, point.longitude))
            (south, north) = (min(south, point.latitude), max(north, point.latitude))
        }
        var (lastStart, firstEnd) = (Int64.min, Int64.max)
        for values in values {
            lastStart = max(lastStart, values.startedAt)
            firstEnd = min(firstEnd, values.leastEnd)
        }
        self.sum = sum
        bounds = BoundingBox(
            west: MapUnits.degrees(west),
            south: MapUnits.degrees(south),
            east: MapUnits.degrees(east),
            north: MapUnits.degrees(north)
        )
        self.lastStart = lastStart
        self.firstEnd = firstEnd
    }
}

/// The sum of events of a leaf.
struct PlaceSum: BitwiseCopyable, Sendable {
    private(set) var count = 0
    /// The sums in units of a map, in which 180° east counts as 180° west.
    private(set) var latitudes: Int64 = 0
    private(set) var longitudes: Int64 = 0
    /// The lowest id, and the index of its event in the leaf.
    private(set) var firstID: Int64 = 0
    private(set) var indexOfFirstID = 0

    /// Adds the event at an index of the leaf.
    @inline(__always)
    mutating func add(_ index: Int, _ point: MapPoint) {
        count &+= 1
        latitudes &+= point.latitude
        longitudes &+= point.longitude
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
    /// What rounding to units and computing places (`Coordinate.roundingError`) may differ by.
    static let error: Int64 = 2

    /// Returns degrees in units, rounded without a call.
    @inline(__always)
    static func units(_ degrees: Double) -> Int64 {
        Int64(exactly: (degrees * perDegree + whole) - whole) ?? 0
    }

    /// Returns a longitude in units, from -180° on, but less than 180°.
    static func longitude(_ degrees: Double) -> Int64 {
        let longitude = units(degrees)
        return longitude >= units(180) ? -longitude : longitude
    }

    /// Returns units in degrees.
    static func degrees(_ units: Int64) -> Double { Double(units) / perDegree }

    /// Returns the mean of a sum of units, rounded to 1e-5 degrees.
    static func mean(_ sum: Int64, _ count: Int) -> Double {
        // Adding 0 turns -0 into 0.
        (Double(sum) / (Double(count) * perDegree / 1e5)).rounded() / 1e5 + 0
    }
}
