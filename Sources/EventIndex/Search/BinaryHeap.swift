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

    var first: Element? { elements.first }

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
        elements[0] = element
        var index = 0
        while true {
            var first = index
            for child in 2 * index + 1...2 * index + 2 where child < elements.count {
                if elements[child].precedes(elements[first]) { first = child }
            }
            guard first != index else { return }
            elements.swapAt(first, index)
            index = first
        }
    }
}
