import Model

/// The events of a leaf as a whole, for searches that need no single event.
final class PlaceTotals: Sendable {
    let count: Int
    /// The sums of all degrees, in which 180° east counts as 180° west.
    let latitudes: Double
    let longitudes: Double
    /// The smallest box with all events that doesn't cross the antimeridian, to about 1e-13
    /// degrees.
    let bounds: BoundingBox
    /// ms since 1970, as `firstEnd`.
    ///
    /// The first start and the last end are in the leaf's summary.
    let lastStart: Int64
    let firstEnd: Int64
    /// The lowest id, and the index of its event.
    let firstID: Int64
    let indexOfFirstID: Int

    /// The memory of the totals of a leaf, in bytes.
    static let byteCount = 136

    /// Adds up events; there is at least one.
    init(_ entries: [PlaceLeaf.Entry]) {
        var (latitudes, longitudes) = (0.0, 0.0)
        var (west, south, east, north) = (180.0, 90.0, -180.0, -90.0)
        var (lastStart, firstEnd) = (Int64.min, Int64.max)
        var indexOfFirstID = 0
        var places = NearbyPlaces()
        for (index, entry) in entries.enumerated() {
            let place = places.place(of: entry.point).withLongitudeBelow180
            latitudes += place.latitude
            longitudes += place.longitude
            (west, east) = (min(west, place.longitude), max(east, place.longitude))
            (south, north) = (min(south, place.latitude), max(north, place.latitude))
            lastStart = max(lastStart, entry.values.startedAt)
            firstEnd = min(firstEnd, entry.values.end)
            if entry.key.id < entries[indexOfFirstID].key.id { indexOfFirstID = index }
        }
        count = entries.count
        self.latitudes = latitudes
        self.longitudes = longitudes
        bounds = BoundingBox(west: west, south: south, east: east, north: north)
        self.lastStart = lastStart
        self.firstEnd = firstEnd
        firstID = entries[indexOfFirstID].key.id
        self.indexOfFirstID = indexOfFirstID
    }
}

extension Coordinate {
    /// The same place with a longitude from -180 on, but less than 180.
    var withLongitudeBelow180: Coordinate {
        longitude >= 180 ? Coordinate(latitude: latitude, longitude: -180) : self
    }
}
