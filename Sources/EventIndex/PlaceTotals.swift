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
    /// The sums of all degrees, in which 180° east counts as 180° west.
    private(set) var latitudes = 0.0
    private(set) var longitudes = 0.0
    /// The lowest id, and the index of its event in the leaf.
    private(set) var firstID: Int64 = 0
    private(set) var indexOfFirstID = 0

    /// Adds the event at an index of the leaf.
    mutating func add(_ index: Int, _ point: PlaceLeaf.MapPoint) {
        count += 1
        latitudes += point.place.latitude
        longitudes += point.place.longitude
        if count == 1 || point.id < firstID { (firstID, indexOfFirstID) = (point.id, index) }
    }
}

extension Coordinate {
    /// The same place with a longitude from -180 on, but less than 180.
    var withLongitudeBelow180: Coordinate {
        longitude >= 180 ? Coordinate(latitude: latitude, longitude: -180) : self
    }
}
