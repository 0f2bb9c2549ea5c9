import Glibc

/// All places between two latitudes and between two longitudes.
package struct Box: Sendable {
    /// The half-plane of longitudes, seen from the axis: those on the left of a direction.
    private struct HalfPlane {
        let x: Double
        let y: Double

        /// Creates the half-plane to the left of a longitude, in radians.
        init(leftOf longitude: Double) {
            x = -sin(longitude)
            y = cos(longitude)
        }

        func distance(_ pointX: Double, _ pointY: Double) -> Double {
            x * pointX + y * pointY
        }
    }

    /// The tangents of the latitudes; infinite at the poles.
    private let south: Double
    private let north: Double
    private let isEmpty: Bool
    /// To the east of the western edge, and to the west of the eastern one; nil for all longitudes.
    private let edges: (western: HalfPlane, eastern: HalfPlane)?
    /// Whether the edges are at most half of the globe apart, so that a place must be on the right
    /// side of both; otherwise one is enough.
    private let isNarrow: Bool
    /// The level of the smallest cells of its cover.
    private let lastLevel: Int

    /// Creates the box between these edges, in degrees and inclusive.
    ///
    /// - Parameters:
    ///   - south: The lowest latitude, -90 to 90.
    ///   - north: The highest latitude; the box is empty if it is below `south`.
    ///   - west: The western longitude, any finite number.
    ///   - east: The eastern longitude; if it is below `west`, the box crosses the antimeridian.
    package init(south: Double, north: Double, west: Double, east: Double) {
        let slack = Cap.slack * 180 / .pi
        isEmpty = !(south <= north)
        self.south = Box.tangent(south - slack)
        self.north = Box.tangent(north + slack)
        var width = east < west ? (east - west).remainder(dividingBy: 360) : east - west
        if width < 0 { width += 360 }
        // A degree of longitude is shorter away from the equator.
        let nearestToEquator = south <= 0 && north >= 0 ? 0 : min(abs(south), abs(north))
        let side = max(north - south, width * cos(nearestToEquator * .pi / 180)) + 2 * slack
        let level = 2 - Int((min(side, 180) / 180).exponent)
        lastLevel = isEmpty ? 0 : min(max(level, 0), CellKey.maximumLevel)
        // Near the poles, the slack of a distance is a large angle.
        let nearest = max(abs(south), abs(north)) + slack
        let angle = nearest < 90 ? slack / cos(nearest * .pi / 180) : 360
        guard width + 2 * angle < 360 else {
            edges = nil
            isNarrow = false
            return
        }
        isNarrow = width + 2 * angle <= 180
        let radians = Double.pi / 180
        let first = HalfPlane(leftOf: (west - angle).remainder(dividingBy: 360) * radians)
        let last = HalfPlane(leftOf: (east + angle + 180).remainder(dividingBy: 360) * radians)
        edges = (first, last)
    }
}

/// How much of a cell is in a region.
private enum Overlap {
    case none
    /// Perhaps a part of it.
    case partial
    case full
}

extension Box {
    /// The ranges of keys that together include each place of the box, and 10 m around it.
    ///
    /// They are in rising order and do not overlap. The cells have about a third of the box's
    /// longer side. So there are at most 80 ranges, and those of a long and narrow box include much
    /// more than the box. O(1).
    package var keyRanges: [ClosedRange<CellKey>] {
        var ranges: [ClosedRange<CellKey>] = []
        for number in 0..<CellKey.faceCount {
            visit(Cell(CubeFace(number: number)), &ranges)
        }
        return ranges
    }

    private func visit(_ cell: Cell, _ ranges: inout [ClosedRange<CellKey>]) {
        switch overlap(with: cell) {
        case .none: break
        case .partial where cell.level < lastLevel:
            for quarter in cell.quarters { visit(quarter, &ranges) }
        case .partial, .full:
            ranges.appendKeys(from: cell.firstKey, count: CellKey.keyCount(level: cell.level))
        }
    }

    private func overlap(with cell: Cell) -> Overlap {
        if isEmpty { return .none }
        let latitudes = cell.latitudeTangents
        guard latitudes.upper >= south, latitudes.lower <= north else { return .none }
        let longitudes = longitudeOverlap(with: cell)
        if longitudes == .full, latitudes.lower < south || latitudes.upper > north {
            return .partial
        }
        return longitudes
    }

    private func longitudeOverlap(with cell: Cell) -> Overlap {
        guard let edges else { return .full }
        let western = cell.side(of: edges.western.distance)
        let eastern = cell.side(of: edges.eastern.distance)
        if isNarrow {
            if western == .none || eastern == .none { return .none }
            return western == .full && eastern == .full ? .full : .partial
        }
        if western == .full || eastern == .full { return .full }
        return western == .none && eastern == .none ? .none : .partial
    }

    private static func tangent(_ latitude: Double) -> Double {
        if latitude >= 90 { return .infinity }
        if latitude <= -90 { return -.infinity }
        return tan(latitude * .pi / 180)
    }
}

/// A cell of any level: a face of the cube, or a quarter of a larger cell.
private struct Cell {
    let face: CubeFace
    /// 0 for a face to `CellKey.maximumLevel` for a leaf cell.
    let level: Int
    let firstKey: Int64
    let u: (lower: CellEdge, upper: CellEdge)
    let w: (lower: CellEdge, upper: CellEdge)

    /// Creates the cell of a whole face.
    init(_ face: CubeFace) {
        self.face = face
        level = 0
        firstKey = face.firstKey
        u = (CellEdge(-1), CellEdge(1))
        w = (CellEdge(-1), CellEdge(1))
    }

    private init(
        _ parent: Cell,
        _ quarter: Int64,
        _ u: (CellEdge, CellEdge),
        _ w: (CellEdge, CellEdge)
    ) {
        face = parent.face
        level = parent.level + 1
        firstKey = parent.firstKey + quarter * CellKey.keyCount(level: level)
        self.u = u
        self.w = w
    }

    /// Its four quarters, in the order of their keys.
    var quarters: [Cell] {
        let middleU = CellEdge.between(u.lower, u.upper)
        let middleW = CellEdge.between(w.lower, w.upper)
        return [
            Cell(self, 0, (u.lower, middleU), (w.lower, middleW)),
            Cell(self, 1, (u.lower, middleU), (middleW, w.upper)),
            Cell(self, 2, (middleU, u.upper), (w.lower, middleW)),
            Cell(self, 3, (middleU, u.upper), (middleW, w.upper)),
        ]
    }

    /// The tangents of its lowest and its highest latitude.
    var latitudeTangents: (lower: Double, upper: Double) {
        let nearestU = Cell.magnitudes(u)
        switch face.number {
        case 2, 5:
            // A polar face: the latitude falls with the distance from the pole.
            let nearestW = Cell.magnitudes(w)
            let far = (nearestU.upper * nearestU.upper + nearestW.upper * nearestW.upper)
                .squareRoot()
            let near = (nearestU.lower * nearestU.lower + nearestW.lower * nearestW.lower)
                .squareRoot()
            return face.number == 2 ? (1 / far, 1 / near) : (-1 / near, -1 / far)
        default:
            // A parallel is a curve here: nearer to the equator in the middle of the face.
            let near = (1 + nearestU.lower * nearestU.lower).squareRoot()
            let far = (1 + nearestU.upper * nearestU.upper).squareRoot()
            let lower = w.lower.tangent
            let upper = w.upper.tangent
            return (lower / (lower < 0 ? near : far), upper / (upper < 0 ? far : near))
        }
    }

    /// Returns the smallest and the largest magnitude of a coordinate between two edges.
    private static func magnitudes(_ edges: (lower: CellEdge, upper: CellEdge)) -> (
        lower: Double, upper: Double
    ) {
        let lower = abs(edges.lower.tangent)
        let upper = abs(edges.upper.tangent)
        let holdsZero = edges.lower.tangent < 0 && edges.upper.tangent > 0
        return (holdsZero ? 0 : min(lower, upper), max(lower, upper))
    }

    /// Returns how much of it is where `distance`, a linear function of x and y, is 0 or more.
    func side(of distance: (Double, Double) -> Double) -> Overlap {
        var inside = 0
        var count = 0
        func look(_ x: Double, _ y: Double) {
            count += 1
            if distance(x, y) >= 0 { inside += 1 }
        }
        let sign: Double = face.number < 3 ? 1 : -1
        for first in [u.lower.tangent, u.upper.tangent] {
            switch face.number {
            case 0, 3: look(sign, first)
            case 1, 4: look(first, sign)
            default:
                look(first, w.lower.tangent)
                look(first, w.upper.tangent)
            }
        }
        return inside == 0 ? .none : inside == count ? .full : .partial
    }
}
