import Glibc

/// A cell, with bounds of its distance from a point.
package struct NearCell: BitwiseCopyable, Sendable {
    /// A lower bound of the angle between the point and a place in the cell, in radians.
    package let nearest: Double
    /// An upper bound of that angle.
    package let farthest: Double
    private let level: Int
    private let firstKey: Int64
    /// The components of the point on the face of the cell.
    private let point: (normal: Double, u: Double, w: Double)
    private let u: (CellEdge, CellEdge)
    private let w: (CellEdge, CellEdge)

    private init(
        level: Int,
        firstKey: Int64,
        _ point: (normal: Double, u: Double, w: Double),
        _ u: (CellEdge, CellEdge),
        _ w: (CellEdge, CellEdge)
    ) {
        self.level = level
        self.firstKey = firstKey
        self.point = point
        self.u = u
        self.w = w
        let middle = (CellEdge.between(u.0, u.1).tangent, CellEdge.between(w.0, w.1).tangent)
        let product = point.normal + point.u * middle.0 + point.w * middle.1
        let length = (1 + middle.0 * middle.0 + middle.1 * middle.1).squareRoot()
        let angle = acos(min(max(product / length, -1), 1))
        // The slack also covers the rounding of the arc cosine, which is greatest near 0 and π.
        let reach = CellKey.halfDiagonal(level: level) + Cap.slack
        nearest = max(angle - reach, 0)
        farthest = angle + reach
    }

    /// Returns the cells that together are the sphere: the faces of the cube.
    package static func faces(around point: UnitVector) -> [NearCell] {
        let edges = (CellEdge(-1), CellEdge(1))
        return (0..<CellKey.faceCount).map { number in
            let face = CubeFace(number: number)
            let point = face.components(of: point)
            return NearCell(level: 0, firstKey: face.firstKey, point, edges, edges)
        }
    }

    /// The keys in the cell.
    package var keys: ClosedRange<CellKey> {
        let last = firstKey + (CellKey.keyCount(level: level) - 1)
        return CellKey(rawValue: firstKey)...CellKey(rawValue: last)
    }

    /// Whether the bounds of smaller cells would be about as far apart.
    package var isSmall: Bool {
        level == CellKey.maximumLevel || CellKey.halfDiagonal(level: level) < Cap.slack
    }

    /// The four cells that it consists of; empty for a leaf cell.
    package var quarters: [NearCell] {
        guard level < CellKey.maximumLevel else { return [] }
        let size = CellKey.keyCount(level: level + 1)
        let middle = (CellEdge.between(u.0, u.1), CellEdge.between(w.0, w.1))
        let (halvesOfU, halvesOfW) = (
            [(u.0, middle.0), (middle.0, u.1)], [(w.0, middle.1), (middle.1, w.1)]
        )
        return (0..<4).map { number in
            NearCell(
                level: level + 1,
                firstKey: firstKey + Int64(number) * size,
                point,
                halvesOfU[number / 2],
                halvesOfW[number % 2]
            )
        }
    }
}
