/// A line across a face of the cube, where one of the two coordinates is constant.
///
/// On the sphere, it is a part of a great circle.
struct CellEdge: BitwiseCopyable {
    /// The coordinate, -1 to 1.
    let tangent: Double
    /// √(1 + tangent²).
    let secant: Double

    init(_ tangent: Double) {
        self.tangent = tangent
        secant = (1 + tangent * tangent).squareRoot()
    }

    /// Returns the edge at the middle of the angle between two edges.
    ///
    /// The sums of their sines and cosines give its tangent without trigonometry.
    static func between(_ one: CellEdge, _ other: CellEdge) -> CellEdge {
        CellEdge(
            (one.tangent * other.secant + other.tangent * one.secant) / (one.secant + other.secant)
        )
    }
}

extension CellKey {
    /// Returns the number of leaf cells in a cell of this level.
    static func keyCount(level: Int) -> Int64 {
        1 &<< Int64(2 * (maximumLevel - level))
    }
}

extension CubeFace {
    /// The key of its first leaf cell.
    var firstKey: Int64 { Int64(number) << Int64(CellKey.faceBits) }
}

extension [ClosedRange<CellKey>] {
    /// Appends the keys of a cell, which are above all others, and joins them with the last range.
    mutating func appendKeys(from first: Int64, count keyCount: Int64) {
        let upper = CellKey(rawValue: first + (keyCount - 1))
        if let last, last.upperBound.rawValue + 1 == first {
            self[count - 1] = last.lowerBound...upper
        } else {
            append(CellKey(rawValue: first)...upper)
        }
    }
}
