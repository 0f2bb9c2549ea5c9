import Events

/// Numbers of regions by the cells of space that they touch: cubes, 1/64 of an earth radius wide.
///
/// It finds the regions that may contain a place without comparing it with all of them.
struct RegionGrid {
    private struct Cell: Hashable {
        let x, y, z: Int

        /// The length of the line from a point to the middle of the cell.
        func distance(to point: UnitVector) -> Double {
            let (x, y, z) = (offset(x, point.x), offset(y, point.y), offset(z, point.z))
            return (x * x + y * y + z * z).squareRoot()
        }

        private func offset(_ number: Int, _ value: Double) -> Double {
            (Double(number) + 0.5) / cellsPerUnit - value
        }
    }

    private static let cellsPerUnit = 64.0
    /// The line from the middle of a cell to a corner, with room for rounding.
    private static let halfDiagonal = 0.87 / cellsPerUnit

    private var regions: [Cell: Set<Int>] = [:]

    /// Adds or removes a region, which is in a circle with a radius in km.
    mutating func set(
        _ number: Int,
        _ circle: (center: UnitVector, radius: Double),
        isThere: Bool
    ) {
        for cell in Self.cells(circle) {
            if isThere {
                regions[cell, default: []].insert(number)
            } else {
                regions[cell]?.remove(number)
                if regions[cell]?.isEmpty == true { regions[cell] = nil }
            }
        }
    }

    /// Returns the regions that may contain a place.
    func numbers(at place: Coordinate) -> Set<Int> {
        let point = place.unitVector
        let cell = Cell(x: Self.number(point.x), y: Self.number(point.y), z: Self.number(point.z))
        return regions[cell] ?? []
    }

    private static func number(_ value: Double) -> Int {
        Int((min(max(value, -1), 1) * cellsPerUnit).rounded(.down))
    }

    private static func cells(_ circle: (center: UnitVector, radius: Double)) -> [Cell] {
        let reach = min(circle.radius / Coordinate.sphereRadius, 2) + 1e-6
        func range(_ value: Double) -> ClosedRange<Int> {
            number(value - reach)...number(value + reach)
        }
        var cells: [Cell] = []
        for x in range(circle.center.x) {
            for y in range(circle.center.y) {
                for z in range(circle.center.z) {
                    let cell = Cell(x: x, y: y, z: z)
                    let isOnSurface = abs(cell.distance(to: (0, 0, 0)) - 1) <= halfDiagonal
                    let isInReach = cell.distance(to: circle.center) <= reach + halfDiagonal
                    if isOnSurface, isInReach { cells.append(cell) }
                }
            }
        }
        return cells
    }
}
