import Threads

/// A counter of the memory of unread responses, with a limit for all connections together.
///
/// Beyond the limit, it drops the response whose client has read nothing for the longest time, and
/// closes its connection. A client that has just begun to read is never the first.
final class ResponseBudget: Sendable {
    /// A response that waits for its client.
    private struct Entry {
        let response: UnsentResponse
        /// The number of the latest progress, which is smaller the longer ago it was.
        var progress: UInt64
        let giveUp: @Sendable (UInt64) -> Void
    }

    private struct State {
        var total = 0
        var givenUp = 0
        var nextID: UInt64 = 0
        var entries: [UInt64: Entry] = [:]
        /// All progress in order, from `first` on; only the latest entry of a response counts.
        var order: [(id: UInt64, progress: UInt64)] = []
        var first = 0
        var nextProgress: UInt64 = 0

        mutating func insert(
            _ response: UnsentResponse,
            giveUp: @escaping @Sendable (UInt64) -> Void
        ) -> UInt64 {
            let id = nextID
            nextID &+= 1
            entries[id] = Entry(response: response, progress: 0, giveUp: giveUp)
            total += response.heldBytes
            noteProgress(of: id)
            return id
        }

        mutating func noteProgress(of id: UInt64) {
            guard entries[id] != nil else { return }
            entries[id]?.progress = nextProgress
            order.append((id, nextProgress))
            nextProgress &+= 1
            dropSkipped()
        }

        mutating func remove(_ id: UInt64) {
            if let entry = entries.removeValue(forKey: id) { total -= entry.response.heldBytes }
        }

        /// Removes responses, slowest client first, until the rest uses at most `limit` bytes.
        mutating func giveUp(beyond limit: Int) -> [(id: UInt64, entry: Entry)] {
            var removed: [(id: UInt64, entry: Entry)] = []
            while total > limit, first < order.count {
                let (id, progress) = order[first]
                first += 1
                guard let entry = entries[id], entry.progress == progress else { continue }
                remove(id)
                givenUp &+= 1
                removed.append((id, entry))
            }
            return removed
        }

        /// Limits the size of `order` to a few times the number of responses; O(1) on average.
        private mutating func dropSkipped() {
            guard order.count > 64 + 4 * entries.count else { return }
            order = order[first...].filter { entries[$0.id]?.progress == $0.progress }
            first = 0
        }
    }

    private let state = Mutex(State())
    private let limit: Int

    /// Creates a budget of `limit` bytes.
    init(limit: Int) {
        self.limit = limit
    }

    /// The bytes in use.
    var bytes: Int { state.withLock { $0.total } }
    /// The number of responses that were dropped since the start.
    var givenUp: Int { state.withLock { $0.givenUp } }

    /// Counts an unsent response, and drops those of slower clients until it fits.
    ///
    /// - Parameters:
    ///   - response: The unsent rest of the response.
    ///   - giveUp: Called on any thread, with the returned number, when the response is dropped.
    /// - Returns: A number for the response; nil if it doesn't fit even alone.
    func add(
        _ response: UnsentResponse,
        giveUp: @escaping @Sendable (UInt64) -> Void
    ) -> UInt64? {
        let (id, givenUp) = state.withLock { state in
            let id = state.insert(response, giveUp: giveUp)
            return (id, state.giveUp(beyond: limit))
        }
        for (other, entry) in givenUp {
            entry.response.drop()
            if other != id { entry.giveUp(other) }
        }
        return givenUp.contains { $0.id == id } ? nil : id
    }

    /// Records that the client has read a part of a response.
    func noteProgress(of id: UInt64) {
        state.withLock { $0.noteProgress(of: id) }
    }

    /// Stops counting a response, and does nothing if it was dropped.
    func remove(_ id: UInt64) {
        state.withLock { $0.remove(id) }
    }
}
