import Events
import Randomness

/// Returns points all over the sphere, in clusters at a city, the antimeridian and both poles, and
/// some that coincide.
func scatter(_ count: Int, using generator: inout SeededGenerator) -> [Coordinate] {
    var points: [Coordinate] = []
    while points.count < count {
        let spread = Double.random(in: -0.1...0.1, using: &generator)
        let other = Double.random(in: -0.1...0.1, using: &generator)
        let longitude = Double.random(in: -180...180, using: &generator)
        switch generator.next() % 7 {
        case 0:
            let latitude = Double.random(in: -90...90, using: &generator)
            points.append(Coordinate(latitude: latitude, longitude: longitude))
        case 1: points.append(Coordinate(latitude: 37.77 + spread, longitude: -122.43 + other))
        case 2:
            let east = Coordinate.wrapping(latitude: -17 + spread, longitude: 180 + other)
            points.append(east)
        case 3: points.append(Coordinate(latitude: 90 - abs(spread), longitude: longitude))
        case 4: points.append(Coordinate(latitude: -90 + abs(spread), longitude: longitude))
        case 5:
            let corners = [-180.0, 0, 180]
            points.append(
                Coordinate(
                    latitude: Double(Int(generator.next() % 3)) * 90 - 90,
                    longitude: corners.randomElement(using: &generator) ?? 0
                )
            )
        default: if let point = points.randomElement(using: &generator) { points.append(point) }
        }
    }
    return points
}

/// Where to search from: some of the points, their antipodes, the poles and the antimeridian.
func origins(among points: [Coordinate], using generator: inout SeededGenerator) -> [Coordinate] {
    var origins = [
        Coordinate(latitude: 90, longitude: 0), Coordinate(latitude: -90, longitude: 77),
        Coordinate(latitude: 0, longitude: 180), Coordinate(latitude: -17, longitude: -180),
        Coordinate(latitude: 37.77, longitude: -122.43),
    ]
    for _ in 1...5 {
        guard let point = points.randomElement(using: &generator) else { continue }
        origins.append(point)
        origins.append(
            Coordinate.wrapping(latitude: -point.latitude, longitude: point.longitude + 180)
        )
    }
    return origins
}

/// The nearest points by comparing with every point.
struct BruteForce {
    private let sorted: [(distance: Double, id: Int64)]

    /// Compares every point with `origin`.
    ///
    /// - Parameters:
    ///   - points: The ids and places of all points.
    ///   - origin: Where to measure from.
    init(_ points: some Sequence<(id: Int64, place: Coordinate)>, near origin: Coordinate) {
        sorted = points.map { (distance: origin.distance(to: $0.place), id: $0.id) }.sorted(by: <)
    }

    /// The ids of at most `limit` points within `radius` km, nearest first and ties by id.
    func ids(within radius: Double, limit: Int) -> [Int64] {
        sorted.prefix { $0.distance <= radius }.prefix(max(0, limit)).map(\.id)
    }
}

/// Returns points of small grids at the poles and on both sides of the antimeridian, so that many
/// are equally far from each other.
func grid(_ count: Int, using generator: inout SeededGenerator) -> [Coordinate] {
    (0..<count).map { _ in
        let row = Double.random(in: 0...5, using: &generator).rounded() / 100
        let column = Double.random(in: -5...5, using: &generator).rounded()
        return switch generator.next() % 3 {
        case 0: Coordinate(latitude: 90 - row, longitude: column * 30)
        case 1: Coordinate(latitude: row - 90, longitude: column * 30)
        default: Coordinate.wrapping(latitude: row, longitude: 180 + column / 100)
        }
    }
}
