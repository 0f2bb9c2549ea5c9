import Events
import Glibc
import Randomness
import Testing

@Suite struct MapGridTests {
    private static func cell(_ latitude: Double, _ longitude: Double, _ zoom: Int) -> [Int32] {
        let cell = MapGrid(zoom: zoom).cell(
            of: Coordinate(latitude: latitude, longitude: longitude)
        )
        return [cell.x, cell.y]
    }

    @Test(
        arguments: [
            // Latitude, longitude, zoom, and the tile of zoom + 2.
            (0, 0, 0, [2, 2]), (0.001, -0.001, 0, [1, 1]), (85, -180, 0, [0, 0]),
            (-85, 179.999, 0, [3, 3]), (90, -180, 0, [0, 0]), (-90, 0, 0, [2, 3]),
            (85.0511, 0, 0, [2, 0]), (89, 0, 22, [8_388_608, 0]),
            // -180 and 180 are the same meridian.
            (0.1, 180, 0, [0, 1]), (0.1, -180, 0, [0, 1]), (0.1, 180, 22, [0, 8_383_947]),
            // San Francisco and Berlin in tiles of other maps.
            (37.7881, -122.4002, 10, [655, 1582]), (52.52, 13.405, 14, [35208, 21492]),
            // Levels outside 0 to 22 are the nearest of these.
            (0, 0, -5, [2, 2]), (0, 0, 99, [8_388_608, 8_388_608]),
        ] as [(Double, Double, Int, [Int32])]
    )
    func hasTheTilesOfTheWebMercatorProjection(
        latitude: Double,
        longitude: Double,
        zoom: Int,
        cell: [Int32]
    ) {
        #expect(Self.cell(latitude, longitude, zoom) == cell)
    }

    @Test(
        arguments: [
            // At zoom 4 the world has 64 x 64 cells.
            ([-180, -90, 180, 90], 4), ([0, -90, 360, 90], 4), ([-180, -85, 180, 85], 4),
            ([-180, 0.1, 180, 85], 4), ([0, -85, 179, 85], 4),
            ([-90, -60, 90, 60], 5), ([170, -60, -100, 60], 5),
            ([-122.5, 37.7, -122.3, 37.8], 15), ([0.001, 0.001, 0.001, 0.001], 22),
            ([179.99, -0.01, -179.99, 0.01], 18), ([180, -90, -180, 90], 9),
        ] as [([Double], Int)]
    )
    func limitsTheCellsOfABox(edges: [Double], maximum: Int) {
        let box = BoundingBox(west: edges[0], south: edges[1], east: edges[2], north: edges[3])

        #expect(ClusterQuery.maximumZoom(of: box) == maximum)
    }

    /// The meridian of 180 belongs to the first column.
    @Test(arguments: [-179.99, -180, 100, 180])
    func numbersTheCellsOfABoxThatEndsAtTheAntimeridian(west: Double) {
        let box = BoundingBox(west: west, south: -80, east: 180, north: 80)
        let grid = MapGrid(zoom: 1)
        let cells = MapCells(grid, in: box)
        let places = stride(from: max(west, -179.9), through: 180, by: 10).map {
            Coordinate(latitude: 1, longitude: $0)
        }

        let numbers = Set(places.map { cells.cell(of: $0).number })
        #expect(numbers.count == Set(places.map(grid.cell)).count)
    }

    /// Boxes all over the globe, and places in them, also on their edges.
    @Test(arguments: 1...20)
    func numbersTheCellsOfABox(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for _ in 1...50 {
            let west = Double(Int.random(in: -180...180, using: &generator))
            let width = Double(Int.random(in: 0...360, using: &generator))
            let latitudes = (0..<2).map { _ in
                Double(Int.random(in: -90...90, using: &generator))
            }.sorted()
            let box = BoundingBox(
                west: west,
                south: latitudes[0],
                east: west + width,
                north: latitudes[1]
            )
            let maximum = ClusterQuery.maximumZoom(of: box)
            let grid = MapGrid(zoom: Int.random(in: 0...maximum, using: &generator))
            let cells = MapCells(grid, in: box)
            var numbers: [MapGrid.Cell: Int] = [:]
            var cell: MapCells.Cell?
            for _ in 1...100 {
                let place = Coordinate.wrapping(
                    latitude: latitudes.randomElement(using: &generator).map { edge in
                        Bool.random(using: &generator)
                            ? edge : .random(in: latitudes[0]...latitudes[1], using: &generator)
                    } ?? 0,
                    longitude: west
                        + ([0, width, .random(in: 0...width, using: &generator)]
                            .randomElement(using: &generator) ?? 0)
                )
                let found = cells.cell(of: place, near: cell)
                let number = found.number
                cell = found
                #expect((0..<cells.count).contains(number))
                #expect(numbers[grid.cell(of: place), default: number] == number, "\(box)")
                numbers[grid.cell(of: place)] = number
            }
            #expect(Set(numbers.values).count == numbers.count, "\(box)")
        }
    }
}
