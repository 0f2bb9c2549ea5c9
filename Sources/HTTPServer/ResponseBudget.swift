import Threads

/// The memory that responses take that clients have not read yet, on all connections together.
///
/// Beyond the limit, the response is given up whose client has read nothing for the longest time:
/// its connection is closed. A client that has just begun to read is never the first.
final class ResponseBudget: Sendable {
    /// A response that waits for its client.
    private struct Entry {
        let response: UnsentResponse
        /// The number of the latest progress; the smaller it is, the longer ago that was.
        var progress: UInt64
        let giveUp: @Sendable (UInt64) -> Void
    }

    private struct State {
        var total = 0
        var givenUp = 0
        var nextID: UInt64 = 0
        var entries: [UInt64: Entry] = [:]
        /// Each progress in its order, from `first` on; those that were followed by another one of
        /// the same response are skipped.
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

        /// Removes responses, slowest client first, until the others take no more than `limit`
        /// bytes.
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

        /// Keeps `order` within a few times the number of responses; O(1) on average.
        private mutating func dropSkipped() {
            guard order.count > 64 + 4 * entries.count else { return }
            order = order[first...].filter { entries[$0.id]?.progress == $0.progress }
            first = 0
        }
    }

    private let state = Mutex(State())
    private let limit: Int

    /// A budget of so many bytes.
    init(limit: Int) {
        self.limit = limit
    }

    /// The bytes that are held now.
    var bytes: Int { state.withLock { $0.total } }
    /// How many responses were given up since the start.
    var givenUp: Int { state.withLock { $0.givenUp } }

    /// Counts a response that its client does not take at once; gives up those of slower clients
    /// until it fits.
    ///
    /// - Parameters:
    ///   - response: What is left of it.
    ///   - giveUp: Is called on any thread, with the returned number, when it is given up.
    /// - Returns: A number for the response; nil if it alone does not fit.
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

    /// Notes that the client has read some of a response.
    func noteProgress(of id: UInt64) {
        state.withLock { $0.noteProgress(of: id) }
    }

    /// Stops counting a response; does nothing if it was given up.
    func remove(_ id: UInt64) {
        state.withLock { $0.remove(id) }
    }
}
