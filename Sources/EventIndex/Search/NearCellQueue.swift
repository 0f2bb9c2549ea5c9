package import Cells

/// Cells that were not opened yet, the nearest first.
///
/// It is here and not where it is used, because the compiler specializes a generic type only in its
/// own module. Elsewhere, a late page took a fifth longer.
package struct NearCellQueue {
    private var heap = BinaryHeap<NearCell>()

    /// Creates an empty queue.
    package init() {}

    package var first: NearCell? { heap.first }

    /// Inserts a cell; O(log n).
    package mutating func insert(_ cell: NearCell) { heap.insert(cell) }

    /// Removes the first cell; O(log n).
    package mutating func removeFirst() { heap.removeFirst() }
}

extension NearCell: HeapElement {
    func precedes(_ other: NearCell) -> Bool { nearest < other.nearest }
}
