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
    package var keyRanges: [ClosedRange<CellKey>] { keyRanges(finerLevels: 0) }

    /// The ranges of keys that include the cap and its slack, from smaller cells than `keyRanges`.
    ///
    /// There are about 13, and at most 100. Together they have about 1.8 times the area of the cap.
    /// They suit a source that takes long to read a place. O(1).
    package var narrowKeyRanges: [ClosedRange<CellKey>] { keyRanges(finerLevels: 1) }

    private func keyRanges(finerLevels: Int) -> [ClosedRange<CellKey>] {
        guard let angle else { return [] }
        guard angle < .pi else { return [CellKey.all] }
        var walk = CapWalk(angle: angle, finerLevels: finerLevels)
        return walk.ranges(around: center)
    }

    /// Returns the ranges of keys that cover the cap without a smaller cap around the same point.
    ///
    /// The ranges are in ascending order and do not overlap. O(n) for n cells on the edge of the
    /// ring.
    ///
    /// - Parameters:
    ///   - inner: The angle of the smaller cap, in radians. The ranges may leave out places within
    ///     it.
    ///   - cellAngle: The width of the smallest cells, in radians. Smaller cells cover fewer places
    ///     outside of the ring.
    /// - Returns: The ranges.
    package func keyRanges(beyond inner: Double, cellAngle: Double) -> [ClosedRange<CellKey>] {
        let inner = inner - Cap.slack
        guard let angle, inner > 0, inner < .pi / 2 else { return keyRanges }
        var walk = CapWalk(angle: min(angle, .pi), beyond: inner, cellAngle: cellAngle)
        return walk.ranges(around: center)
    }
}

extension Cap {
    /// The middle of an interval, and the greatest difference from it.
    package typealias Interval = (center: Double, reach: Double)

    /// The latitudes and longitudes in degrees that include each place of the cap and its slack.
    ///
    /// The reach of the longitudes is infinite if the cap touches a pole or the antimeridian. A
    /// source that can compare them leaves out about a third of the places in `narrowKeyRanges`.
    package var degrees: (latitude: Interval, longitude: Interval) {
        let angle = min(angle ?? 0, .pi)
        let latitude = asin(min(max(center.z, -1), 1))
        let longitude = atan2(center.y, center.x)
        let all: Interval = (0, .infinity)
        guard !(latitude + longitude).isNaN else { return (all, all) }
        let height: Interval = (latitude * Self.degree, angle * Self.degree)
        guard abs(latitude) + angle < .pi / 2 else { return (height, all) }
        // The meridians that touch the cap.
        let width = asin(min(sin(angle) / cos(latitude), 1))
        guard abs(longitude) + width < .pi else { return (height, all) }
        return (height, (longitude * Self.degree, width * Self.degree))
    }

    private static let degree = 180 / Double.pi
}

/// A walk through the cells that a cap touches, in the order of their keys.
///
/// It divides cells down to between half of the cap's radius and all of it, and further by
/// `finerLevels`. In memory, finer cells would cost more than they save by fewer places. A quarter
/// of a cell differs from it only in the two edges in its middle, so only these are compared with
/// the cap.
private struct CapWalk {
    /// The sine of the angle; more than 1 from 90° on, where no great circle is too far away.
    private let sine: Double
    /// The square of the angle's cosine; more than 1 from 90° on, where caps are not convex.
    private let squaredCosine: Double
    /// The level of the smallest cells.
    private let lastLevel: Int
    /// The angle of the smaller cap, its squared cosine, and the angle of the whole cap.
    private let inner: (angle: Double, squaredCosine: Double, outerAngle: Double)?
    private var ranges: [ClosedRange<CellKey>] = []
    /// The components of the center on the face of this part of the walk.
    private var center = (normal: 0.0, u: 0.0, w: 0.0)

    init(angle: Double, finerLevels: Int) {
        let isConvex = angle < .pi / 2
        sine = isConvex ? sin(angle) : 2
        squaredCosine = isConvex ? cos(angle) * cos(angle) : 2
        let level = finerLevels - Int((angle / (.pi / 2)).exponent)
        lastLevel = min(max(level, 0), CellKey.maximumLevel)
        inner = nil
        ranges.reserveCapacity(24)
    }

    /// Creates a walk through the cells of a ring; `inner` is less than 90°.
    init(angle: Double, beyond inner: Double, cellAngle: Double) {
        let isConvex = angle < .pi / 2
        sine = isConvex ? sin(angle) : 2
        squaredCosine = isConvex ? cos(angle) * cos(angle) : 2
        self.inner = (
            angle: inner,
            squaredCosine: cos(inner) * cos(inner),
            outerAngle: angle
        )
        let level = cellAngle > 0 ? -Int((min(cellAngle, 1) / (.pi / 2)).exponent) : 0
        lastLevel = min(max(level, 0), CellKey.maximumLevel)
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
        if let inner {
            if isFull(u, w, inner.squaredCosine) { return }
            if isBeyond(inner.outerAngle, level: level, u, w) { return }
        }
        guard level < lastLevel, !isFinal(level: level, u, w) else {
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

    /// Returns whether splitting the cell further would exclude nothing.
    ///
    /// The test is skipped where it would rarely succeed.
    @inline(__always)
    private func isFinal(
        level: Int,
        _ u: (CellEdge, CellEdge),
        _ w: (CellEdge, CellEdge)
    ) -> Bool {
        guard let inner else { return level >= lastLevel - 2 && isFull(u, w, squaredCosine) }
        return isFull(u, w, squaredCosine) && isBeyond(inner.angle, level: level, u, w)
    }

    /// Returns whether a cell is certainly outside of a cap with this angle around the center.
    private func isBeyond(
        _ angle: Double,
        level: Int,
        _ u: (CellEdge, CellEdge),
        _ w: (CellEdge, CellEdge)
    ) -> Bool {
        let nearest = angle + CellKey.halfDiagonal(level: level)
        guard nearest < .pi else { return false }
        let middle = (CellEdge.between(u.0, u.1).tangent, CellEdge.between(w.0, w.1).tangent)
        let product = center.normal + center.u * middle.0 + center.w * middle.1
        let length = (1 + middle.0 * middle.0 + middle.1 * middle.1).squareRoot()
        return product < cos(nearest) * length
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
    private func isFull(
        _ u: (CellEdge, CellEdge),
        _ w: (CellEdge, CellEdge),
        _ squaredCosine: Double
    ) -> Bool {
        holds(u.0, w.0, squaredCosine) && holds(u.1, w.0, squaredCosine)
            && holds(u.0, w.1, squaredCosine) && holds(u.1, w.1, squaredCosine)
    }

    @inline(__always)
    private func holds(_ u: CellEdge, _ w: CellEdge, _ squaredCosine: Double) -> Bool {
        let product = center.normal + center.u * u.tangent + center.w * w.tangent
        let squaredLength = 1 + u.tangent * u.tangent + w.tangent * w.tangent
        return product >= 0 && product * product >= squaredCosine * squaredLength
    }

    private mutating func append(_ firstKey: Int64, _ level: Int) {
        ranges.appendKeys(from: firstKey, count: CellKey.keyCount(level: level))
    }
}
