import Events
import Rules
import Time

/// Fuzzes the parameters of searches.
///
/// Accepted shapes must be covered by ranges of keys, and the fast tests of points must agree with
/// the exact ones. The first byte selects a box, a polygon, or texts for all parameters. The next
/// bytes are places to test, and the rest is the text.
func fuzzSearches(_ input: inout FuzzInput) {
    let kind = input.choice(below: 3)
    let places = (0..<4).map { _ in place(&input) }
    switch kind {
    case 0: check([.bbox: input.text()], places)
    case 1: check([.within: input.text()], places)
    default:
        let texts = input.texts()
        var values = EventParameterValues()
        for (name, text) in zip(EventParameterName.ofSearches, texts) { values[name] = text }
        check(values, places)
    }
}

private let zones = TimeZoneCatalog()

/// A place; the edges of the globe are as likely as other places.
private func place(_ input: inout FuzzInput) -> Coordinate {
    let (latitude, longitude) = (input.choice(below: 256), input.choice(below: 256))
    return Coordinate(
        latitude: min(max(Double(latitude) - 127, -90), 90),
        longitude: min(max((Double(longitude) - 127) * 1.5, -180), 180)
    )
}

private func check(_ texts: EventParameterValues, _ places: [Coordinate]) {
    var values = texts
    for pair in texts.pairs where Input.text(pair.text).isBlank { values[pair.name] = nil }
    let context = EventParameterContext(
        now: Timestamp(milliseconds: 1_774_746_000_000),
        zones: zones,
        maximumLimit: 1000,
        openEndHours: 3,
        allowsFields: true,
        cursor: { _ in .invalid }
    )
    let parameters: EventParameters
    do throws(ModelError) {
        parameters = try EventParameters(values, unknown: [], context)
    } catch {
        guard case .invalid(let errors) = error else { finding("\(values) throws \(error)") }
        expect((1...10).contains(errors.count), "\(values) has \(errors.count) errors")
        return
    }
    let filter = parameters.filter
    if let from = filter.window.from, let to = filter.window.to {
        expect(from < to || values[.when] != nil, "\(values) is \(filter.window)")
    }
    expect((1...1000).contains(parameters.limit ?? 1), "\(values) has another limit")
    for place in places {
        if let box = filter.box { check(box, place) }
        if let polygon = filter.polygon { check(polygon, place) }
        if let origin = filter.origin { check(origin, filter.radius, place) }
    }
}

private func check(_ box: BoundingBox, _ place: Coordinate) {
    let contains = box.contains(place)
    let test = BoundingBox.BallTest(box).mayContainPoint(ofBallAt: place.unitVector, radius: 0)
    expect(!contains || test, "the ball test of \(box) excludes \(place)")
    let (west, east) = box.isAround ? (-180, 180) : (box.west, box.east)
    let cover = Box(south: box.south, north: box.north, west: west, east: east).keyRanges
    expect(!contains || cover.covers(place), "the cover of \(box) lacks \(place)")
}

private func check(_ polygon: SphericalPolygon, _ place: Coordinate) {
    let cover = Cap(center: polygon.center, angle: polygon.angle).keyRanges
    let contains = polygon.contains(place.unitVector)
    expect(!contains || cover.covers(place), "the cover of \(polygon) lacks \(place)")
}

private func check(_ origin: DirectionOrigin, _ radius: SearchRadius?, _ place: Coordinate) {
    let millimetres = origin.millimetres(to: place.unitVector)
    expect((0...20_015_086_797).contains(millimetres), "\(origin) to \(place): \(millimetres)")
    let direction = Direction(from: origin, to: place.unitVector, millimetres: millimetres)
    let isInRange = direction.bearingTenths.map { (0..<3600).contains($0) } ?? true
    expect(isInRange, "the bearing from \(origin) to \(place)")
    guard let radius, radius.contains(millimetres), radius.kilometres < 20_000 else { return }
    let angle = radius.kilometres / Coordinate.sphereRadius
    let cover = Cap(center: origin.point, angle: angle).keyRanges
    expect(cover.covers(place), "the cover of \(radius) around \(origin) lacks \(place)")
}

extension [ClosedRange<CellKey>] {
    fileprivate func covers(_ place: Coordinate) -> Bool {
        let key = CellKey(place.unitVector)
        return contains { $0.contains(key) }
    }
}
