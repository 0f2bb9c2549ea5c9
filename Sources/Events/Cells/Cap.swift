import Glibc

/// All places within a distance of a point.
package struct Cap: Sendable {
    /// The angle that is added to each cap, in radians: 10 m on the earth.
    ///
    /// It is far more than rounding and the differences between C libraries can move a place.
    package static let slack = 1.6e-6

    private let center: UnitVector
    /// The angle with the slack, in radians; nil if there is no place in it.
    private let angle: Double?

    /// Creates the cap around a point.
    ///
    /// - Parameters:
    ///   - center: The point.
    ///   - angle: The distance in radians; all places from π on, and none if it is negative or NaN.
    package init(center: UnitVector, angle: Double) {
        self.center = center
        self.angle = angle >= 0 ? angle + Cap.slack : nil
    }

    /// The ranges of keys that together include each place of the cap, and the slack around it.
    ///
    /// They are in rising order and do not overlap. There are about 7, and at most 50. Together
    /// they have about 2.3 times the area of the cap. O(1).
    package var keyRanges: [ClosedRange<CellKey>] {
        guard let angle else { return [] }
        guard angle < .pi else { return [CellKey.all] }
        var walk = CapWalk(angle: angle)
        return walk.ranges(around: center)
    }
}

/// A walk through the cells that a cap touches, in the order of their keys.
///
/// It divides cells down to between half of the cap's radius and all of it: finer cells would cost
/// more than they save by fewer places. A quarter of a cell differs from it only in the two edges
/// in its middle, so only these are compared with the cap.
private struct CapWalk {
    /// The sine of the angle; more than 1 from 90° on, where no great circle is too far away.
    private let sine: Double
    /// The square of the angle's cosine; more than 1 from 90° on, where caps are not convex.
    private let squaredCosine: Double
    /// The level of the smallest cells.
    private let lastLevel: Int
    private var ranges: [ClosedRange<CellKey>] = []
    /// The components of the center on the face of this part of the walk.
    private var center = (normal: 0.0, u: 0.0, w: 0.0)

    init(angle: Double) {
        let isConvex = angle < .pi / 2
        sine = isConvex ? sin(angle) : 2
        squaredCosine = isConvex ? cos(angle) * cos(angle) : 2
        let level = -Int((angle / (.pi / 2)).exponent)
        lastLevel = min(max(level, 0), CellKey.maximumLevel)
        ranges.reserveCapacity(24)
    }

    mutating func ranges(around point: UnitVector) -> [ClosedRange<CellKey>] {
        let edges = (CellEdge(-1), CellEdge(1))
        for number in 0..<CellKey.faceCount {
            let face = CubeFace(number: number)
            center = face.components(of: point)
            let u = sides(of: edges.0, center.u).upper && sides(of: edges.1, center.u).lower
            let w = sides(of: edges.0, center.w).upper && sides(of: edges.1, center.w).lower
            if u, w { visit(level: 0, face.firstKey, edges, edges) }
        }
        return ranges
    }

    /// Adds the parts of a cell that the cap touches; the cap touches the sides of its four edges.
    private mutating func visit(
        level: Int,
        _ firstKey: Int64,
        _ u: (CellEdge, CellEdge),
        _ w: (CellEdge, CellEdge)
    ) {
        // The test of the whole cell is skipped where it would rarely succeed.
        guard level < lastLevel, level < lastLevel - 2 || !isFull(u, w) else {
            return append(firstKey, level)
        }
        let middle = (CellEdge.between(u.0, u.1), CellEdge.between(w.0, w.1))
        let sideU = sides(of: middle.0, center.u)
        let sideW = sides(of: middle.1, center.w)
        let quarter = CellKey.keyCount(level: level + 1)
        if sideU.lower {
            let half = (u.0, middle.0)
            if sideW.lower { visit(level: level + 1, firstKey, half, (w.0, middle.1)) }
            if sideW.upper { visit(level: level + 1, firstKey + quarter, half, (middle.1, w.1)) }
        }
        if sideU.upper {
            let half = (middle.0, u.1)
            let firstKey = firstKey + 2 * quarter
            if sideW.lower { visit(level: level + 1, firstKey, half, (w.0, middle.1)) }
            if sideW.upper { visit(level: level + 1, firstKey + quarter, half, (middle.1, w.1)) }
        }
    }

    /// Returns whether the cap may touch the places below and above an edge.
    ///
    /// An edge is part of a great circle. The sine of the center's distance from it is
    /// `(coordinate - normal * tangent) / secant`.
    @inline(__always)
    private func sides(of edge: CellEdge, _ coordinate: Double) -> (lower: Bool, upper: Bool) {
        let distance = coordinate - center.normal * edge.tangent
        let farthest = sine * edge.secant
        return (distance <= farthest, -distance <= farthest)
    }

    /// Returns whether a cell is in the cap: both are convex, so its corners decide.
    private func isFull(_ u: (CellEdge, CellEdge), _ w: (CellEdge, CellEdge)) -> Bool {
        holds(u.0, w.0) && holds(u.1, w.0) && holds(u.0, w.1) && holds(u.1, w.1)
    }

    @inline(__always)
    private func holds(_ u: CellEdge, _ w: CellEdge) -> Bool {
        let product = center.normal + center.u * u.tangent + center.w * w.tangent
        let squaredLength = 1 + u.tangent * u.tangent + w.tangent * w.tangent
        return product >= 0 && product * product >= squaredCosine * squaredLength
    }

    private mutating func append(_ firstKey: Int64, _ level: Int) {
        ranges.appendKeys(from: firstKey, count: CellKey.keyCount(level: level))
    }
}
