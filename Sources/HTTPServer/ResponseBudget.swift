import Threads

/// The memory that responses take that clients have not read yet, on all connections together.
///
/// Beyond the limit, the response whose client reads slowest is given up: its connection is closed.
final class ResponseBudget: Sendable {
    /// A response that waits for its client.
    private struct Entry {
        let response: UnsentResponse
        /// When it began to wait, in ms of the loops' clock.
        let began: Int64
        /// Bytes that the client has taken since.
        var taken = 0
        let giveUp: @Sendable (UInt64) -> Void

        /// Bytes that the client has taken in a ms.
        func rate(now: Int64) -> Double {
            Double(taken) / Double(max(1, now - began))
        }
    }

    private struct State {
        var total = 0
        var entries: [UInt64: Entry] = [:]
        var nextID: UInt64 = 0
        var givenUp = 0

        mutating func insert(_ entry: Entry, _ id: UInt64) {
            entries[id] = entry
            total += entry.response.heldBytes
        }

        mutating func remove(_ id: UInt64) {
            if let entry = entries.removeValue(forKey: id) { total -= entry.response.heldBytes }
        }

        /// Removes the slowest responses until the others take no more than `limit` bytes.
        mutating func giveUp(beyond limit: Int, now: Int64) -> [(id: UInt64, entry: Entry)] {
            var removed: [(id: UInt64, entry: Entry)] = []
            while total > limit, let slowest = slowest(now: now) {
                remove(slowest.key)
                givenUp &+= 1
                removed.append((slowest.key, slowest.value))
            }
            return removed
        }

        /// The response whose client takes least in a ms; of several, the oldest.
        private func slowest(now: Int64) -> (key: UInt64, value: Entry)? {
            entries.min { one, other in
                let (rate, otherRate) = (one.value.rate(now: now), other.value.rate(now: now))
                return rate == otherRate ? one.key < other.key : rate < otherRate
            }
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

    /// Counts a response that its client does not take at once; gives up slower ones until it fits.
    ///
    /// Costs O(n) for n such responses where one has to be given up, and O(1) elsewhere.
    ///
    /// - Parameters:
    ///   - response: What is left of it.
    ///   - now: The time, in ms of the loops' clock.
    ///   - giveUp: Is called on any thread, with the returned number, when it is to be given up.
    /// - Returns: A number for the response; nil if it does not fit.
    func add(
        _ response: UnsentResponse,
        now: Int64,
        giveUp: @escaping @Sendable (UInt64) -> Void
    ) -> UInt64? {
        let (id, givenUp) = state.withLock { state in
            let id = state.nextID
            state.nextID &+= 1
            state.insert(Entry(response: response, began: now, giveUp: giveUp), id)
            return (id, state.giveUp(beyond: limit, now: now))
        }
        for (other, entry) in givenUp {
            entry.response.drop()
            if other != id { entry.giveUp(other) }
        }
        return givenUp.contains { $0.id == id } ? nil : id
    }

    /// Notes that the client has taken so many bytes.
    func note(taken bytes: Int, of id: UInt64) {
        state.withLock { $0.entries[id]?.taken += bytes }
    }

    /// Stops counting a response; does nothing if it was given up.
    func remove(_ id: UInt64) {
        state.withLock { $0.remove(id) }
    }
}
