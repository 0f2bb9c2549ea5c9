import CLinux
package import Events
import Model
import Rules
package import SQLite
import struct Synchronization.Atomic
import System
import Time

/// Loads all events into the index on a separate thread.
///
/// It does so at the start and whenever the changes of other processes can't be known, with pauses
/// if that happens often. It also applies the changes of other processes that are too many for a
/// request.
///
/// First it loads what searches compare, and then the contents. It reads some events at a time,
/// each part in a transaction of its own, so that it keeps neither the WAL nor other readers
/// waiting.
package final class EventLoader: Sendable {
    private let index: LivingEventIndex
    private let readers: ReaderPool
    private let representation: EventRepresentation
    private let steps: Steps
    private let didLoad: @Sendable (_ bytes: Int) -> Void
    private let isStopping = Atomic(false)
    private let stopSignal = Semaphore()
    private let thread = Mutex<POSIXThread?>(nil)
    /// Lets one thread load at a time.
    private let calls = Mutex(())

    /// How much is loaded at once.
    package struct Steps: Sendable {
        /// The number of events that are read in a transaction.
        package var events: Int64 = 4096
        /// The size of the events that are sorted into the index together, in bytes.
        ///
        /// Each part copies almost the whole index, because its events are all over the sphere.
        package var bytes = 48_000_000

        package init() {}
    }

    /// Creates a loader that does nothing yet.
    ///
    /// - Parameters:
    ///   - index: What to load.
    ///   - readers: The readers of the database.
    ///   - representation: How clients get events.
    ///   - steps: How much is loaded at once.
    ///   - didLoad: Called with the memory of all events in bytes whenever they are loaded.
    package init(
        _ index: LivingEventIndex,
        _ readers: ReaderPool,
        _ representation: EventRepresentation,
        steps: Steps = Steps(),
        didLoad: @escaping @Sendable (_ bytes: Int) -> Void = { _ in }
    ) {
        self.index = index
        self.readers = readers
        self.representation = representation
        self.steps = steps
        self.didLoad = didLoad
    }

    /// Starts the thread; throws `ThreadError` if that fails.
    package func start() throws {
        let thread = try POSIXThread { [self] in run() }
        self.thread.withLock { $0 = thread }
    }

    /// Ends the thread; blocks until that is done.
    package func stop() {
        isStopping.store(true, ordering: .relaxed)
        stopSignal.signal()
        index.wake()
        let thread = self.thread.withLock { thread in
            defer { thread = nil }
            return thread
        }
        thread?.join()
    }

    private func run() {
        // A reader of its own; without it, the shared one is used, which is only slower.
        try? readers.bindThread()
        defer { readers.unbindThread() }
        var pauses = LoadPauses()
        while !isStopping.load(ordering: .relaxed) {
            index.freeForgottenEvents()
            guard let need = index.nextNeed else {
                index.waitForNeed()
                continue
            }
            if need == .events {
                let pause = pauses.wait(now: MonotonicClock.milliseconds())
                if pause > 0 { stopSignal.wait(atMostMilliseconds: pause) }
                guard !isStopping.load(ordering: .relaxed) else { return }
            }
            if load(need) == .failed { stopSignal.wait(atMostMilliseconds: LoadPauses.shortest) }
            if need == .events { pauses.noteEnd(now: MonotonicClock.milliseconds()) }
            readers.threadDidSettle()
        }
    }

    /// How an attempt to load all events has ended.
    package enum Outcome {
        /// All events are loaded, with their contents unless these need too much memory.
        case finished
        /// Another process has changed the database meanwhile.
        case outdated
        /// The database could not be read.
        case failed
    }

    /// Loads all that is needed on the calling thread.
    package func load() -> Outcome {
        calls.withLock { _ in
            while let need = index.nextNeed {
                let outcome = load(need)
                guard outcome == .finished else { return outcome }
                index.freeForgottenEvents()
            }
            return .finished
        }
    }

    private func load(_ need: LivingEventIndex.Need) -> Outcome {
        if need == .changes { return catchUp() }
        let version = readers.indexVersion
        let position = try? readers.read { try SQLiteLog($0).position() }
        readers.threadDidSettle()
        index.beginLoading(at: position) { version }
        do {
            let outcome = try loadAll(withContents: need == .contents)
            index.freeForgottenEvents()
            // Returns the memory of the rows to the system: 19 MB after a million events.
            malloc_trim(0)
            if outcome == .finished { didLoad(index.byteCount) }
            return outcome
        } catch {
            // Readers use the database and report its errors.
            index.cancelLoading()
            return .failed
        }
    }

    private func catchUp() -> Outcome {
        let follower = LogFollower(index: index, readers: readers, representation: representation)
        do {
            try follower.catchUpAll { isStopping.load(ordering: .relaxed) }
            return .finished
        } catch {
            return .failed
        }
    }

    private func loadAll(withContents: Bool) throws -> Outcome {
        var events = EventSnapshot(keepsContents: withContents)
        var part: [EventChange] = []
        var partBytes = 0
        let greatestID = try greatestID()
        var firstID: Int64? = .min
        while let id = firstID {
            let next = try nextEvents(from: id, withContents: withContents)
            firstID = next.last.flatMap { $0.id < .max ? $0.id + 1 : nil }
            guard !isStopping.load(ordering: .relaxed) else {
                index.cancelLoading()
                return .outdated
            }
            guard index.isLoading({ readers.indexVersion }) else {
                index.cancelLoading()
                return .outdated
            }
            part += next
            partBytes += next.reduce(0) { $0 + $1.byteCount }
            if withContents, index.noteContents(of: events, adding: Self.contentBytes(of: part)) {
                index.cancelLoading()
                return .finished
            }
            if let id = firstID, greatestID > 0 {
                // The rest is to sort the events.
                index.noteProgress(Int(80 * Double(max(0, id)) / Double(greatestID)))
            }
            if partBytes > steps.bytes {
                events.apply(part)
                part.removeAll(keepingCapacity: true)
                partBytes = 0
            }
        }
        events.apply(part)
        return index.finishLoading(events) { readers.indexVersion } ? .finished : .outdated
    }

    private static func contentBytes(of events: [EventChange]) -> Int {
        events.reduce(0) { $0 + ($1.content?.json?.count ?? 0) }
    }

    private func greatestID() throws -> Int64 {
        defer { readers.threadDidSettle() }
        return try readers.read { connection in
            try connection.first("SELECT max(id) FROM events") { $0.optionalInt64(0) ?? 0 } ?? 0
        }
    }

    /// Returns the next events from this id on, in the order of their ids.
    private func nextEvents(from id: Int64, withContents: Bool) throws -> [EventChange] {
        defer { readers.threadDidSettle() }
        return try readers.read { connection in
            try connection.all(Self.page, .integer(id), .integer(steps.events)) { row in
                withContents
                    ? EventChange(Event(row), representation) : EventChange(keysOf: Event(row))
            }
        }
    }

    private static let page = SQL(selectingFrom: .events, "WHERE id >= ? ORDER BY id LIMIT ?")
}

extension EventChange {
    /// Creates the change that stores an event without its contents.
    fileprivate init(keysOf event: Event) {
        self.init(
            id: event.id,
            content: Content(
                coordinate: event.attributes.coordinate,
                values: FilterValues(event)
            )
        )
    }
}
