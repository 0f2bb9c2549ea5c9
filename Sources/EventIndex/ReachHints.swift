import Cells
import System

/// How far recent searches had to look, from which a search guesses how far it must look.
///
/// With a good guess, a search on a remote source needs one read instead of two, and of half as
/// many places. A bad one costs a read, and never changes the results. All threads share the hints.
package final class ReachHints: Sendable {
    /// The angle in radians within which there is one place on average, by cell.
    ///
    /// The size of a cell fits the angle, so that sparse regions take few cells.
    private let angles = Mutex<[Int64: Double]>([:])

    /// The greatest number of cells, about 2 MB.
    private static let capacity = 65_536
    /// The levels of the cells: faces of the cube to about 20 m.
    private static let levels = 0...19
    /// The width of a cell as a multiple of the angle of one place.
    private static let width = 8.0
    /// The number of greater cells in which a search is remembered, too: each is twice as wide.
    ///
    /// The guess for a new place comes from the smallest cell in which there was a search.
    private static let greaterCells = 2
    /// The factor by which a guess exceeds the expectation, because places are not evenly spread.
    package static let margin = 1.2

    /// The same for the guesses of these hints.
    private let margin: Double

    /// Creates hints; with a smaller `margin`, searches read less at first, and again more often.
    package init(margin: Double = ReachHints.margin) {
        self.margin = margin
    }

    /// Returns the angle in radians within which there probably are as many places as `limit`.
    ///
    /// Returns nil if there was no search nearby.
    func angle(around origin: CellKey, for limit: Int) -> Double? {
        let unit = angles.withLock { angles in
            if angles.isEmpty { return nil as Double? }
            for level in Self.levels.reversed() {
                if let angle = angles[Self.name(of: origin, level)] { return angle }
            }
            return nil
        }
        return unit.map { $0 * Double(limit).squareRoot() * margin }
    }

    /// Remembers that a search has found this many places within an angle, in radians.
    ///
    /// Without any places, the angle shows nothing. `guess` is the angle that the search got.
    func note(_ count: Int, within angle: Double, around origin: CellKey, after guess: Double?) {
        guard count > 0 else { return }
        let unit = max(angle, Cap.slack) / Double(count).squareRoot()
        let level = Self.level(for: unit)
        angles.withLock { angles in
            if angles.count >= Self.capacity { angles.removeAll(keepingCapacity: true) }
            if let guess, guess < angle, level < Self.levels.upperBound {
                // A smaller cell gave the guess, and would mislead the next search as well.
                for level in (level + 1)...Self.levels.upperBound {
                    angles[Self.name(of: origin, level)] = nil
                }
            }
            for level in max(level - Self.greaterCells, 0)...level {
                let name = Self.name(of: origin, level)
                // The average of several searches is a better guess than one of them.
                angles[name] = ((angles[name] ?? unit) + unit) / 2
            }
        }
    }

    /// The level of the cells that are about `width` times as wide as an angle.
    private static func level(for unit: Double) -> Int {
        let cells = .pi / 2 / (unit * width)
        return cells >= 1 ? min(Int(cells.exponent), levels.upperBound) : 0
    }

    /// The key in the middle of a cell, which no cell of another level has.
    private static func name(of key: CellKey, _ level: Int) -> Int64 {
        let range = key.keys(ofParentAt: level)
        return (range.lowerBound.rawValue + range.upperBound.rawValue) / 2
    }
}
