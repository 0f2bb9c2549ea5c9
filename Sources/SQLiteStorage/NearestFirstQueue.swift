/// A binary heap of nodes and events of the tree, nearest first.
struct NearestFirstQueue {
    struct Element {
        /// A lower bound of its distance.
        let distance: Double
        let id: Int64
        let height: Int
    }

    private var heap: [Element] = []

    init() {
        heap.reserveCapacity(64)
    }

    /// The nearest element.
    var first: Element? {
        heap.first
    }

    /// Inserts an element.
    ///
    /// O(log n).
    mutating func insert(_ element: Element) {
        var index = heap.count
        heap.append(element)
        while index > 0 {
            let parent = (index - 1) / 2
            guard element.distance < heap[parent].distance else { break }
            heap[index] = heap[parent]
            index = parent
        }
        heap[index] = element
    }

    /// Removes the nearest element, if there is one.
    ///
    /// O(log n).
    mutating func removeFirst() {
        guard let last = heap.popLast(), !heap.isEmpty else { return }
        var index = 0
        while let child = nearerChild(of: index), heap[child].distance < last.distance {
            heap[index] = heap[child]
            index = child
        }
        heap[index] = last
    }

    private func nearerChild(of index: Int) -> Int? {
        let left = 2 * index + 1
        guard left < heap.count else { return nil }
        let right = left + 1
        return right < heap.count && heap[right].distance < heap[left].distance ? right : left
    }
}
