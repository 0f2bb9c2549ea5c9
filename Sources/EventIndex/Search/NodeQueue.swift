import Cells
import Glibc
import Model

/// Branches and leaves that were not opened yet, the nearest first: a binary heap.
struct NodeQueue {
    struct Node: BitwiseCopyable {
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
        func isNearer(than other: Node) -> Bool {
            chord == other.chord ? distance < other.distance : chord < other.chord
        }

        /// Returns whether all events in it come after a position in the order of distances.
        func isBeyond(_ position: EventPosition?) -> Bool {
            guard let position else { return false }
            return chord > NodeQueue.chord(ofMillimetres: position.key + 1)
        }
    }

    fileprivate static let millimetresPerRadian = Coordinate.sphereRadius * 1e6
    /// A millionth of a millimetre, which is more than rounding changes a chord.
    private static let slack = 1e-12

    private let origin: UnitVector
    /// The chord up to which all events come before the search's position.
    private let inner: Double
    private var heap: [Node] = []

    init(from origin: UnitVector, after start: EventPosition?) {
        self.origin = origin
        inner = start.map { Self.chord(ofMillimetres: $0.key - 1) } ?? -1
    }

    var first: Node? { heap.first }

    mutating func insert(_ summary: PlaceSummary, branch: Int, leaf: Int? = nil) {
        let distance = summary.distance(from: origin)
        guard distance + summary.radius + Self.slack >= inner else { return }
        let chord = max(0, distance - summary.radius - Self.slack)
        heap.append(
            Node(
                chord: chord,
                distance: distance,
                count: summary.count,
                branch: branch,
                leaf: leaf
            )
        )
        var index = heap.count - 1
        while index > 0 {
            let parent = (index - 1) / 2
            guard heap[index].isNearer(than: heap[parent]) else { return }
            heap.swapAt(parent, index)
            index = parent
        }
    }

    mutating func removeFirst() {
        guard let last = heap.popLast(), !heap.isEmpty else { return }
        heap[0] = last
        var index = 0
        while true {
            var first = index
            for child in 2 * index + 1...2 * index + 2 where child < heap.count {
                if heap[child].isNearer(than: heap[first]) { first = child }
            }
            guard first != index else { return }
            heap.swapAt(first, index)
            index = first
        }
    }

    private static func chord(ofMillimetres distance: Int64) -> Double {
        2 * sin(Double(max(distance, 0)) / millimetresPerRadian / 2)
    }
}
