/// An element of a heap.
protocol HeapElement: BitwiseCopyable {
    /// Returns whether this element comes before another one.
    func precedes(_ other: Self) -> Bool
}

/// A collection whose first element is known: a binary heap
/// (<https://en.wikipedia.org/wiki/Binary_heap>).
struct BinaryHeap<Element: HeapElement> {
    /// The elements; no child precedes its parent.
    private(set) var elements: [Element] = []

    /// Creates an empty heap.
    init() {}

    var first: Element? { elements.first }

    /// Reserves space for `count` elements.
    mutating func reserveCapacity(_ count: Int) { elements.reserveCapacity(count) }

    /// Inserts an element; O(log n).
    mutating func insert(_ element: Element) {
        elements.append(element)
        var index = elements.count - 1
        while index > 0 {
            let parent = (index - 1) / 2
            guard elements[index].precedes(elements[parent]) else { return }
            elements.swapAt(parent, index)
            index = parent
        }
    }

    /// Removes the first element; O(log n).
    mutating func removeFirst() {
        guard let last = elements.popLast(), !elements.isEmpty else { return }
        replaceFirst(with: last)
    }

    /// Replaces the first element; O(log n).
    mutating func replaceFirst(with element: Element) {
        guard !elements.isEmpty else { return }
        var index = 0
        while true {
            var child = 2 * index + 1
            guard child < elements.count else { break }
            let other = child + 1
            if other < elements.count, elements[other].precedes(elements[child]) { child = other }
            guard elements[child].precedes(element) else { break }
            elements[index] = elements[child]
            index = child
        }
        elements[index] = element
    }
}
