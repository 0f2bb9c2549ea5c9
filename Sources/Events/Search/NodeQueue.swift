import Glibc

/// Branches and leaves that were not opened yet, the nearest first.
struct NodeQueue {
    struct Node: HeapElement {
        /// The least chord, the line through the sphere, to an event in it, in earth radii.
        let chord: Double
        /// The chord to its middle.
        let distance: Double
        let count: Int
        let branch: Int
        /// Nil for a branch.
        let leaf: Int?

        /// The least distance of an event in it, in mm and rounded down.
        var millimetres: Int64 {
            let angle = 2 * asin(min(chord / 2, 1))
            return Int64((angle * NodeQueue.millimetresPerRadian).rounded(.down))
        }

        /// Returns whether it is to be opened first: of those around the point, the one in whose
        /// middle it is.
        func precedes(_ other: Node) -> Bool {
            chord == other.chord ? distance < other.distance : chord < other.chord
        }

        /// Returns whether all events in it come after a position in the order of distances.
        func isBeyond(_ position: EventPosition?) -> Bool {
            guard let position else { return false }
            return chord > NodeQueue.chord(ofMillimetres: position.key + 1)
        }
    }

    fileprivate static let millimetresPerRadian = Coordinate.sphereRadius * 1e6
    /// More than rounding changes a chord, and 0.01 mm on the earth.
    private static let slack = 1e-12

    private let origin: UnitVector
    /// The chord up to which all events come before the search's position.
    private let inner: Double
    private var heap = BinaryHeap<Node>()

    init(from origin: UnitVector, after start: EventPosition?) {
        self.origin = origin
        inner = start.map { Self.chord(ofMillimetres: max($0.key, 1) - 1) } ?? -1
    }

    var first: Node? { heap.first }

    mutating func insert(_ summary: PlaceSummary, branch: Int, leaf: Int? = nil) {
        let distance = summary.distance(from: origin)
        guard distance + summary.radius + Self.slack >= inner else { return }
        let chord = max(0, distance - summary.radius - Self.slack)
        heap.insert(
            Node(chord: chord, distance: distance, count: summary.count, branch: branch, leaf: leaf)
        )
    }

    mutating func removeFirst() { heap.removeFirst() }

    /// Returns the greatest distance in mm of which an angle contains all events.
    static func millimetres(within angle: Double) -> Int64 {
        Int64((angle * millimetresPerRadian).rounded(.down))
    }

    private static func chord(ofMillimetres distance: Int64) -> Double {
        2 * sin(Double(max(distance, 0)) / millimetresPerRadian / 2)
    }
}
