/// A set that all threads share, and that forgets everything when it is full.
package final class BoundedSet<Element: Hashable & Sendable>: Sendable {
    private let capacity: Int
    private let elements = Mutex<Set<Element>>([])

    /// Creates an empty set of at most `capacity` elements.
    package init(capacity: Int) {
        self.capacity = max(1, capacity)
    }

    package func contains(_ element: Element) -> Bool {
        elements.withLock { elements in elements.contains(element) }
    }

    /// Removes an element, if it is there.
    package func remove(_ element: Element) {
        elements.withLock { elements in _ = elements.remove(element) }
    }

    /// Inserts an element, and removes all others if the set is full.
    package func insert(_ element: Element) {
        elements.withLock { elements in
            if elements.count >= capacity { elements.removeAll(keepingCapacity: true) }
            elements.insert(element)
        }
    }
}
