import System

/// A counter of the memory of unread responses, with a limit for all connections together.
///
/// A list reserves memory before it is made, and waits until there is some. A short list reserves
/// its greatest size. The size of others is not known, so they reserve at least 8 MB, and as much
/// as the largest of the latest lists took. They leave an eighth of the memory to short lists.
/// Clients that have read too little for a while are disconnected if a list needs their memory, and
/// no others.
///
/// Beyond the limit, it drops the response whose client has read nothing for the longest time, and
/// closes its connection. A client that has just begun to read is never the first.
final class ResponseBudget: Sendable {
    /// A response that waits for its client.
    private struct Entry {
        let response: UnsentResponse
        /// The bytes that the client must read for its progress to count.
        let progressBytes: Int
        /// The number of the latest progress, which is smaller the longer ago it was.
        var progress: UInt64
        /// The bytes that the client has read since then.
        var bytes = 0
        let giveUp: @Sendable (UInt64) -> Void
    }

    private struct State {
        var total = 0
        /// The bytes that are reserved for lists.
        var reserved = 0
        /// The bytes that the next list reserves.
        var expected: Int
        var givenUp = 0
        /// The responses that were dropped before the last notice.
        var noticed = 0
        /// The earliest time of the next notice, in ms of the loops' clock.
        var nextNotice = Int64.min
        var nextID: UInt64 = 0
        var entries: [UInt64: Entry] = [:]
        /// All progress in order, from `first` on; only the latest entry of a response counts.
        var order: [(id: UInt64, progress: UInt64, time: Int64)] = []
        var first = 0
        var nextProgress: UInt64 = 0

        init(expected: Int) {
            self.expected = expected
        }

        mutating func insert(
            _ response: UnsentResponse,
            now: Int64,
            giveUp: @escaping @Sendable (UInt64) -> Void
        ) -> UInt64 {
            let id = nextID
            nextID &+= 1
            let progressBytes = max(
                ResponseBudget.progressBytes,
                response.heldBytes / ResponseBudget.progressShare
            )
            entries[id] = Entry(
                response: response,
                progressBytes: progressBytes,
                progress: 0,
                giveUp: giveUp
            )
            total += response.heldBytes
            noteProgress(of: id, now: now)
            return id
        }

        mutating func noteProgress(of id: UInt64, now: Int64) {
            guard entries[id] != nil else { return }
            entries[id]?.progress = nextProgress
            entries[id]?.bytes = 0
            order.append((id, nextProgress, now))
            nextProgress &+= 1
            dropSkipped()
        }

        mutating func remove(_ id: UInt64) {
            if let entry = entries.removeValue(forKey: id) { total -= entry.response.heldBytes }
        }

        /// Removes responses, slowest client first, until at most `limit` bytes are in use.
        ///
        /// It removes none whose client has made progress after `time`.
        mutating func giveUp(
            beyond limit: Int,
            idleSince time: Int64 = .max
        ) -> [(id: UInt64, entry: Entry)] {
            var removed: [(id: UInt64, entry: Entry)] = []
            while total + reserved > limit, first < order.count {
                let (id, progress, latest) = order[first]
                let entry = entries[id].flatMap { $0.progress == progress ? $0 : nil }
                if entry != nil && latest > time { break }
                first += 1
                guard let entry else { continue }
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

    /// The minimum number of bytes that a client must read for its progress to count.
    ///
    /// Otherwise a client that reads a little now and then keeps a large response for hours.
    private static let progressBytes = 32 * 1024
    /// The part of a response that a client must read for its progress to count.
    ///
    /// So a few clients that read large responses slowly can't keep all memory while lists wait.
    private static let progressShare = 16
    /// The size up to which a list is short, in bytes.
    static let shortBytes = 640 * 1024
    /// The part of its memory that a list reserves while it waits for a database or a search.
    private static let waitingShare = 16
    /// The size of a list that is not worth counting, in bytes; it is sent at once.
    private static let smallBytes = 16 * 1024
    /// The minimum interval between two notices, in ms.
    private static let noticeMilliseconds: Int64 = 10_000

    private let state: Mutex<State>
    private let limit: Int
    /// The bytes up to which lists are made; the rest is for lists that are larger than expected.
    private let limitOfLists: Int
    /// The minimum size that is expected of a list, in bytes.
    ///
    /// Many small lists may be followed by a burst of large ones.
    private let leastBytes: Int
    private let stallMilliseconds: Int64

    /// Creates a budget of `limit` bytes.
    ///
    /// A client that reads nothing for `stallMilliseconds` gives its memory to waiting lists.
    init(limit: Int, stallMilliseconds: Int64) {
        self.limit = limit
        limitOfLists = limit - limit / 8
        self.stallMilliseconds = stallMilliseconds
        leastBytes = min(limit / 8, 8 << 20)
        state = Mutex(State(expected: leastBytes))
    }

    /// The bytes in use.
    var bytes: Int { state.withLock { $0.total } }
    /// The number of responses that were dropped since the start.
    var givenUp: Int { state.withLock { $0.givenUp } }

    /// Returns the number of responses that were dropped since the last number, or nil.
    ///
    /// It returns a number at most once in 10 s.
    func newlyGivenUp(now: Int64) -> Int? {
        state.withLock { state in
            guard state.givenUp > state.noticed, now >= state.nextNotice else { return nil }
            defer { state.noticed = state.givenUp }
            state.nextNotice = now + Self.noticeMilliseconds
            return state.givenUp - state.noticed
        }
    }

    /// Reserves memory for a list, and returns its bytes; nil if there is not enough yet.
    ///
    /// `shortBytes` is the size of a short list at most, nil for a long one. `now` is the time in
    /// ms of the loops' clock.
    func reserve(_ shortBytes: Int?, now: Int64) -> Int? {
        let (bytes, givenUp) = state.withLock { state in
            let limit = shortBytes == nil ? limitOfLists : limit
            let bytes = min(shortBytes ?? state.expected, limit)
            let givenUp = state.giveUp(beyond: limit - bytes, idleSince: now - stallMilliseconds)
            guard state.total + state.reserved + bytes <= limit else {
                return (Int?.none, givenUp)
            }
            state.reserved += bytes
            return (bytes, givenUp)
        }
        for (id, entry) in givenUp {
            entry.response.drop()
            entry.giveUp(id)
        }
        return bytes
    }

    /// Reserves what a list has taken instead of `reserved`, and returns its bytes.
    ///
    /// The result is 0 if the list is so small that it is not worth counting. The next list may
    /// need the capacity that this one had while it grew.
    func settle(_ reserved: Int, made bytes: Int, in capacity: Int) -> Int {
        let kept = bytes > Self.smallBytes ? bytes : 0
        state.withLock { state in
            state.reserved += kept - reserved
            // A few small lists between large ones don't make it forget the large ones.
            state.expected = max(capacity, leastBytes, state.expected - state.expected / 64)
        }
        return kept
    }

    /// Reserves memory for lists instead of `reserved` bytes, and returns the bytes.
    ///
    /// Lists that wait for a database or a search need a part of theirs: few end at the same time.
    func reserve(insteadOf reserved: Int, lists: Int, waitingLists: Int) -> Int {
        state.withLock { state in
            let expected = min(state.expected, limitOfLists)
            let bytes = lists * expected + waitingLists * expected / Self.waitingShare
            state.reserved += bytes - reserved
            return bytes
        }
    }

    /// Returns reserved memory.
    func release(_ reserved: Int) {
        state.withLock { $0.reserved -= reserved }
    }

    /// Counts an unsent response, and drops those of slower clients until it fits.
    ///
    /// - Parameters:
    ///   - response: The unsent rest of the response.
    ///   - reserved: The bytes that were reserved for it.
    ///   - now: The time in ms of the loops' clock.
    ///   - giveUp: Called on any thread, with the returned number, when the response is dropped.
    /// - Returns: A number for the response; nil if it doesn't fit even alone.
    func add(
        _ response: UnsentResponse,
        releasing reserved: Int,
        now: Int64,
        giveUp: @escaping @Sendable (UInt64) -> Void
    ) -> UInt64? {
        let (id, givenUp) = state.withLock { state in
            state.reserved -= reserved
            let id = state.insert(response, now: now, giveUp: giveUp)
            return (id, state.giveUp(beyond: limit))
        }
        for (other, entry) in givenUp {
            entry.response.drop()
            if other != id { entry.giveUp(other) }
        }
        return givenUp.contains { $0.id == id } ? nil : id
    }

    /// Records that the client has read so many bytes more of a response.
    func noteProgress(of id: UInt64, bytes: Int, now: Int64) {
        state.withLock { state in
            state.entries[id]?.bytes += bytes
            guard let entry = state.entries[id], entry.bytes >= entry.progressBytes else { return }
            state.noteProgress(of: id, now: now)
        }
    }

    /// Stops counting a response, and does nothing if it was dropped.
    func remove(_ id: UInt64) {
        state.withLock { $0.remove(id) }
    }
}
