import System

/// The events of a database and its log of changes, whose functions block.
package protocol EventSource: Sendable {
    /// Whether the log has the changes of all programs, as far as it is known.
    var isReady: Bool { get }
    /// The pause between two looks at the log without a need, in ms; nil if requests notice all
    /// changes at once.
    var lookMilliseconds: Int64? { get }

    /// Prepares the loader's thread for reading.
    func bindThread()
    /// Undoes `bindThread`.
    func unbindThread()
    /// Makes the log have the changes of all programs again, if another one has damaged it.
    func prepareLog() throws
    /// Returns whether an error means that another program has damaged the log.
    func isOfDamagedLog(_ error: any Error) -> Bool
    /// Returns the latest position, and gives the log an identity if it has none, or has lost
    /// numbers since a known position.
    func position(since known: LogPosition?) throws -> LogPosition
    /// Returns the greatest id of an event; 0 without events.
    func greatestID() throws -> Int64
    /// Returns the first events from an id on, in the order of their ids.
    func events(from id: Int64, limit: Int64, withContents: Bool) throws -> [EventChange]
    /// Returns all users who have a name or block others.
    func users() throws -> [KnownUser]
    /// Returns changes after a position, at most as many as the limit; nil if they can't be known.
    func changes(
        after position: LogPosition,
        limit: Int,
        withContents: Bool
    ) throws -> LoggedEvents?
    /// Deletes some of the oldest changes that need not be retained, and returns whether there may
    /// be more.
    func prune(_ retention: LogRetention) throws -> Bool
}

/// Loads all events into the index on a separate thread, lets them catch up with changes that are
/// too many for a request, and keeps the log short.
///
/// First it loads what searches compare, and then the contents. It reads some events at a time,
/// each part in a transaction of its own, so that it keeps neither the database nor other readers
/// waiting. With all changes since the first part, they are equal to the database.
package final class EventLoader: Sendable {
    private let index: LivingEventIndex
    private let source: any EventSource
    private let steps: Steps
    private let retention: LogRetention
    private let didLoad: @Sendable (_ bytes: Int) -> Void
    private let isStopping = Mutex(false)
    private let stopSignal = Semaphore()
    private let end = Semaphore()
    private let thread = Mutex<POSIXThread?>(nil)
    /// Lets one thread load at a time.
    private let calls = Mutex(())

    /// How much is loaded at once.
    package struct Steps: Sendable {
        /// The number of events that are read in a transaction.
        ///
        /// On a full disk, SQLite's writer waits at most 50 ms for transactions of readers. With
        /// 4096 events, a slow program can read for longer than that.
        package var events: Int64 = 256
        /// The size of the events that are sorted into the index together, in bytes.
        ///
        /// Each part copies almost the whole index, because its events are all over the sphere.
        package var bytes = 48_000_000

        package init() {}
    }

    /// The number of changes that are read at once.
    private static let manyChanges = 30_000
    /// How long a load may ignore the log, in ms, which need not be kept for as long as it takes.
    private static let followMilliseconds: Int64 = 200
    /// The pause after a failure, in ms.
    private static let pauseMilliseconds: Int64 = 500
    /// The pause between two attempts to prepare the log, during which writers may wait, in ms.
    private static let prepareMilliseconds: Int64 = 5000
    /// The number of transactions that delete old changes, one after the other.
    private static let mostDeletions = 10_000
    /// How long the last statement may take when the thread ends, in ms.
    private static let closeMilliseconds: Int64 = 1000

    /// Creates a loader that does nothing yet.
    ///
    /// - Parameters:
    ///   - index: What to load.
    ///   - source: The database.
    ///   - steps: How much is loaded at once.
    ///   - retention: Which changes the log retains.
    ///   - didLoad: Called with the memory of all events in bytes whenever they are loaded.
    package init(
        _ index: LivingEventIndex,
        _ source: any EventSource,
        steps: Steps = Steps(),
        retention: LogRetention = LogRetention(),
        didLoad: @escaping @Sendable (_ bytes: Int) -> Void = { _ in }
    ) {
        self.index = index
        self.source = source
        self.steps = steps
        self.retention = retention
        self.didLoad = didLoad
    }

    /// Starts the thread; throws `ThreadError` if that fails.
    package func start() throws {
        let thread = try POSIXThread { [self] in
            run()
            end.signal()
        }
        self.thread.withLock { $0 = thread }
    }

    /// Ends the thread; blocks until that is done.
    ///
    /// Usually it gets the result of its last statement before `close` closes the connections.
    /// pgbouncer up to 1.18 can mix up the results of others if a client leaves without it.
    package func stop(_ close: () -> Void = {}) {
        isStopping.withLock { $0 = true }
        stopSignal.signal()
        index.wake()
        let thread = self.thread.withLock { $0 }
        if thread != nil { end.wait(atMostMilliseconds: Self.closeMilliseconds) }
        close()
        thread?.join()
    }

    /// Loads all that is needed on the calling thread, and returns whether that has succeeded.
    package func load() -> Bool { (try? loadIfNeeded()) == true }

    private var mustStop: Bool { isStopping.withLock { $0 } }

    private func run() {
        source.bindThread()
        defer { source.unbindThread() }
        var nextPreparation = MonotonicClock.milliseconds() &+ Self.prepareMilliseconds
        var nextPruning = MonotonicClock.milliseconds() &+ LogRetention.intervalMilliseconds
        while !mustStop {
            var hasFailed = false
            let now = MonotonicClock.milliseconds()
            do {
                if now >= nextPreparation {
                    nextPreparation = now &+ Self.prepareMilliseconds
                    try source.prepareLog()
                    if source.isReady { nextPreparation = now &+ LogRetention.intervalMilliseconds }
                }
                if source.isReady {
                    hasFailed = try !loadIfNeeded()
                    if source.lookMilliseconds != nil { try catchUp() }
                    if now >= nextPruning {
                        nextPruning = now &+ LogRetention.intervalMilliseconds
                        try prune()
                    }
                } else {
                    hasFailed = true
                }
            } catch {
                // Requests use the database, too, and report its errors.
                hasFailed = true
                if source.isOfDamagedLog(error) {
                    index.forget()
                    nextPreparation = 0
                }
            }
            if hasFailed {
                stopSignal.wait(atMostMilliseconds: Self.pauseMilliseconds)
            } else if !mustStop {
                index.waitForNeed(
                    atMostMilliseconds: source.lookMilliseconds ?? LogRetention.intervalMilliseconds
                )
            }
        }
    }

    /// Loads all that is needed; returns false if it must begin again.
    private func loadIfNeeded() throws -> Bool {
        try calls.withLock { _ in
            while let need = index.nextNeed {
                defer {
                    index.freeForgottenEvents()
                    // Returns also the memory of the rows: 19 MB after a million events.
                    ProcessMemory.trim()
                }
                if mustStop { return false }
                switch need {
                case .changes: try catchUp(whileBehind: true)
                case .events, .contents:
                    guard try load(withContents: need == .contents) else { return false }
                }
            }
            index.freeForgottenEvents()
            return true
        }
    }

    /// Loads all events; returns false if it must begin again.
    private func load(withContents: Bool) throws -> Bool {
        var position = try source.position(since: index.lastPosition)
        let loading = LoadingEvents(keepsContents: withContents, partBytes: steps.bytes)
        loading.append(try source.users())
        let greatestID = try source.greatestID()
        var followedAt = MonotonicClock.milliseconds()
        var firstID: Int64? = .min
        while let id = firstID {
            if mustStop { return false }
            let next = try source.events(from: id, limit: steps.events, withContents: withContents)
            firstID = next.last.flatMap { $0.id < .max ? $0.id + 1 : nil }
            try loading.append(next)
            if withContents, index.noteContents(ofBytes: loading.contentBytes) { return true }
            if let id = firstID, greatestID > 0 {
                // The rest is to sort the events.
                index.noteProgress(Int(80 * Double(max(0, id)) / Double(greatestID)))
            }
            // Requests use the events without contents meanwhile.
            try catchUp(whileBehind: true)
            if MonotonicClock.milliseconds() - followedAt > Self.followMilliseconds {
                guard try follow(loading, &position) != nil else { return false }
                followedAt = MonotonicClock.milliseconds()
            }
        }
        while !mustStop, let areAll = try follow(loading, &position) {
            guard areAll else { continue }
            index.publish(try loading.finish(), at: position)
            didLoad(index.byteCount)
            return true
        }
        return false
    }

    /// Appends the next changes since a position, and returns whether there are no more; nil if
    /// they can't be known.
    private func follow(
        _ loading: LoadingEvents,
        _ position: inout LogPosition
    ) throws -> Bool? {
        let read = try source.changes(
            after: position,
            limit: Self.manyChanges,
            withContents: loading.keepsContents
        )
        guard let read else { return nil }
        try loading.append(read.changes)
        loading.append(read.users)
        position = read.position
        return read.areAll
    }

    /// Applies the changes since the index's position, many at a time.
    private func catchUp(whileBehind: Bool = false) throws {
        while !mustStop, !whileBehind || index.nextNeed == .changes,
            let position = index.loadedPosition
        {
            let time = MonotonicClock.milliseconds()
            let read = try source.changes(
                after: position,
                limit: Self.manyChanges,
                withContents: index.keepsContents
            )
            index.catchUp(read, since: position, readAt: time)
            if read?.areAll == true { return }
        }
    }

    private func prune() throws {
        for _ in 0..<Self.mostDeletions where !mustStop {
            guard try source.prune(retention) else { return }
        }
    }
}

/// The events that are loaded so far.
///
/// A thread of its own sorts a part into the index while the loader reads the next one.
private final class LoadingEvents {
    /// The index, which the thread changes.
    private final class Sorter: Sendable {
        let events: Mutex<AllEvents>
        let parts = JobQueue<[EventChange]>(capacity: 1)
        let isIdle = Semaphore()

        init(_ events: AllEvents) {
            self.events = Mutex(events)
            isIdle.signal()
        }

        func run() {
            while case .jobs(let parts) = parts.take(1) {
                events.withLock { events in
                    for part in parts { events.apply(part) }
                }
                isIdle.signal()
            }
        }
    }

    let keepsContents: Bool
    private let sorter: Sorter
    /// Nil until the first part is complete.
    private var thread: POSIXThread?
    private let partBytes: Int
    /// The events that the thread doesn't have yet.
    private var part: [EventChange] = []
    private var bytes = 0
    /// The sizes of the contents in the index and in the two parts, in bytes.
    private var contentSizes = (sorted: 0, last: 0, next: 0)

    init(keepsContents: Bool, partBytes: Int) {
        self.keepsContents = keepsContents
        self.partBytes = partBytes
        sorter = Sorter(AllEvents(keepsContents: keepsContents))
    }

    deinit {
        sorter.parts.stop()
        thread?.join()
    }

    /// The size of the contents, in bytes.
    var contentBytes: Int { contentSizes.sorted + contentSizes.last + contentSizes.next }

    /// Appends changes, which are later than all others.
    ///
    /// Throws `ThreadError` if the thread can't be started.
    func append(_ changes: [EventChange]) throws(ThreadError) {
        part += changes
        bytes += changes.reduce(0) { $0 + $1.byteCount }
        contentSizes.next += changes.reduce(0) { $0 + ($1.content?.json?.count ?? 0) }
        if bytes > partBytes { try sortPart() }
    }

    /// Appends changes of users, which are later than all others.
    func append(_ users: [KnownUser]) {
        guard !users.isEmpty else { return }
        sorter.events.withLock { events in
            for user in users { events.apply(user) }
        }
    }

    /// Returns the index with all events; blocks until they are sorted.
    func finish() throws(ThreadError) -> AllEvents {
        if thread != nil { try sortPart() }
        sorter.isIdle.wait(atMostMilliseconds: nil)
        return sorter.events.withLock { events in
            // A small database has one part, for which a thread takes longer than sorting.
            if thread == nil { events.apply(part) }
            // A copy would make the next change copy the lists of leaves.
            defer { events = AllEvents(keepsContents: keepsContents) }
            return events
        }
    }

    /// Gives the part to the thread, and blocks until that has sorted the one before.
    private func sortPart() throws(ThreadError) {
        if thread == nil { thread = try POSIXThread { [sorter] in sorter.run() } }
        sorter.isIdle.wait(atMostMilliseconds: nil)
        let sorted = sorter.events.withLock { $0.contentBytes }
        contentSizes = (sorted, contentSizes.next, 0)
        _ = sorter.parts.append(part)
        (part, bytes) = ([], 0)
    }
}
