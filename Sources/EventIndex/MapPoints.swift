import Cells
import Model

/// The id of an event, and its place in units of a map (`MapUnits`).
struct MapPoint: BitwiseCopyable, Equatable {
    let id: Int64
    let latitude: Int64
    /// -180° or more, and less than 180°.
    let longitude: Int64

    init(id: Int64, latitude: Int64, longitude: Int64) {
        self.id = id
        self.latitude = latitude
        self.longitude = longitude
    }

    /// Creates the point of an event; `nearby` has converted the points before it.
    init(id: Int64, _ point: UnitVector, _ nearby: inout NearbyPlaces) {
        let place = nearby.place(of: point)
        self.id = id
        latitude = MapUnits.units(place.latitude)
        longitude = MapUnits.longitude(place.longitude)
    }

    /// Returns a point whose numbers are all greater by a distance; they overflow without a trap.
    func moved(by distance: Int64) -> MapPoint {
        MapPoint(
            id: id &+ distance,
            latitude: latitude &+ distance,
            longitude: longitude &+ distance
        )
    }

    /// The place to half a unit.
    var place: Coordinate {
        Coordinate(latitude: MapUnits.degrees(latitude), longitude: MapUnits.degrees(longitude))
    }
}

/// The points of a leaf, of which there are at most as many as a word has bits.
///
/// Maps read all points of a region, and wait for memory most of the time. So points that are near
/// each other take 12 bytes each instead of 24.
struct MapPoints: Sendable {
    /// The difference between a point and the origin.
    private struct Offset: BitwiseCopyable {
        let id: UInt32
        let latitude: UInt32
        let longitude: UInt32

        /// Returns nil if a number is too large.
        init?(_ point: MapPoint, from origin: MapPoint) {
            // A difference may wrap around, as the sum of the subscript then does, too.
            guard let id = UInt32(exactly: point.id &- origin.id),
                let latitude = UInt32(exactly: point.latitude &- origin.latitude),
                let longitude = UInt32(exactly: point.longitude &- origin.longitude)
            else { return nil }
            (self.id, self.latitude, self.longitude) = (id, latitude, longitude)
        }
    }

    private var offsets: [Offset] = []
    /// The points if an offset would be too large, otherwise an empty array.
    private var far: [MapPoint] = []
    private var origin = MapPoint(id: 0, latitude: 0, longitude: 0)

    /// Prepares for a number of points.
    init(capacity: Int) { offsets.reserveCapacity(capacity) }

    /// The memory of the points, in bytes.
    var byteCount: Int {
        offsets.count * MemoryLayout<Offset>.stride + far.count * MemoryLayout<MapPoint>.stride
    }

    var indices: Range<Int> { 0..<max(offsets.count, far.count) }

    subscript(index: Int) -> MapPoint {
        guard far.isEmpty else { return far[index] }
        let offset = offsets[index]
        return MapPoint(
            id: origin.id &+ Int64(offset.id),
            latitude: origin.latitude &+ Int64(offset.latitude),
            longitude: origin.longitude &+ Int64(offset.longitude)
        )
    }

    /// Appends a point; O(1), and O(n) for the first one that is far from the others.
    mutating func append(_ point: MapPoint) {
        guard far.isEmpty else { return far.append(point) }
        // In the middle of the range, so that the next ones can be on any side.
        if offsets.isEmpty { origin = point.moved(by: -Self.reach) }
        if let offset = Offset(point, from: origin) { return offsets.append(offset) }
        var points: [MapPoint] = []
        points.reserveCapacity(offsets.capacity)
        for index in offsets.indices { points.append(self[index]) }
        points.append(point)
        (far, offsets) = (points, [])
    }

    /// Appends some of other points; O(n).
    mutating func append(_ others: MapPoints, _ indices: Range<Int>) {
        if offsets.isEmpty, far.isEmpty { origin = others.origin }
        if far.isEmpty, others.far.isEmpty, origin == others.origin {
            offsets += others.offsets[indices]
        } else {
            for index in indices { append(others[index]) }
        }
    }

    /// Half of the range of an offset.
    private static let reach: Int64 = 1 << (UInt32.bitWidth - 1)

    /// A sum with a number of nearly each line of the processor's cache.
    ///
    /// A search computes it before it reads the points of several leaves, so that the processor
    /// loads all of them at the same time.
    var sumOfLines: Int64 {
        var sum: Int64 = 0
        for index in stride(from: 0, to: offsets.count, by: Self.offsetsPerLine) {
            sum &+= Int64(offsets[index].id)
        }
        for index in stride(from: 0, to: far.count, by: Self.pointsPerLine) {
            sum &+= far[index].id
        }
        return sum
    }

    /// The number of successive offsets in a line of the processor's cache, rounded down.
    private static let offsetsPerLine = 64 / MemoryLayout<Offset>.stride
    private static let pointsPerLine = 64 / MemoryLayout<MapPoint>.stride

    /// On which side of an edge points are: a bit for each.
    struct Sides {
        /// The points with greater numbers.
        let above: UInt64
        /// The points so near the edge that rounding (`Coordinate.roundingError`) could decide.
        let near: UInt64
    }

    /// Returns on which side of a parallel the points are; O(n).
    func sides(ofLatitude degrees: Double) -> Sides { sides(of: degrees) { $0.latitude } }

    /// Returns on which side of a meridian the points are; O(n).
    func sides(ofLongitude degrees: Double) -> Sides { sides(of: degrees) { $0.longitude } }

    /// There is no branch for each point, because the processor couldn't predict it.
    @inline(__always)
    private func sides(of degrees: Double, _ number: (MapPoint) -> Int64) -> Sides {
        let edge = MapUnits.units(degrees)
        let (lower, upper) = (edge - MapUnits.error, edge + MapUnits.error)
        var (above, notBelow): (UInt64, UInt64) = (0, 0)
        for index in indices {
            let number = number(self[index])
            let bit = UInt64(truncatingIfNeeded: index)
            above |= (number > upper ? 1 : 0) &<< bit
            notBelow |= (number >= lower ? 1 : 0) &<< bit
        }
        return Sides(above: above, near: notBelow & ~above)
    }

    /// Which points are in a box: a bit for each.
    struct PointsInBox {
        /// The points that are surely in the box.
        fileprivate(set) var inside: UInt64
        /// Other points that rounding (`Coordinate.roundingError`) could move into the box.
        fileprivate(set) var near: UInt64
    }

    /// Returns the points in a plain box; `bounds` contains all points.
    ///
    /// O(n), and O(1) if the box contains none.
    func points(inPlain box: BoundingBox, _ bounds: BoundingBox) -> PointsInBox {
        guard box.mayContainPlace(in: bounds) else { return PointsInBox(inside: 0, near: 0) }
        let error = Coordinate.roundingError
        var (inside, near) = (UInt64(bits: indices), UInt64(0))
        func exclude(_ outside: UInt64, _ sides: Sides) {
            inside &= ~outside
            near |= sides.near
        }
        // Usually one or two edges divide the points.
        if bounds.south - error <= box.south {
            let sides = sides(ofLatitude: box.south)
            exclude(~(sides.above | sides.near), sides)
        }
        if bounds.north + error >= box.north {
            let sides = sides(ofLatitude: box.north)
            exclude(sides.above, sides)
        }
        if bounds.west - error <= box.west {
            let sides = sides(ofLongitude: box.west)
            exclude(~(sides.above | sides.near), sides)
        }
        if bounds.east + error >= box.east {
            let sides = sides(ofLongitude: box.east)
            exclude(sides.above, sides)
        }
        return PointsInBox(inside: inside & ~near, near: inside & near)
    }

    /// Returns the points in any box; O(n).
    func points(in box: BoundingBox) -> PointsInBox {
        var found = PointsInBox(inside: 0, near: 0)
        for index in indices {
            switch box.surelyContains(self[index].place) {
            case true?: found.inside |= 1 << UInt64(index)
            case false?: continue
            case nil: found.near |= 1 << UInt64(index)
            }
        }
        return found
    }

    /// Returns the sum of some of the points; O(n).
    func sum(of points: UInt64) -> PlaceSum {
        var sum = PlaceSum()
        points.forEachBit { sum.add($0, self[$0]) }
        return sum
    }
}
