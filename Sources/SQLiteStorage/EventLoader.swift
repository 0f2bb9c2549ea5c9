import CLinux
package import EventIndex
package import Model
package import SQLite
import System
import struct Synchronization.Atomic

/// Loads all events into the index on a separate thread, at the start and whenever another process
/// has changed the database, with pauses if that happens often.
///
/// It reads some events at a time, each part in a transaction of its own, so that it keeps neither
/// the WAL nor other readers waiting.
package final class EventLoader: Sendable {
    private let index: LivingEventIndex
    private let readers: ReaderPool
    private let representation: EventRepresentation
    private let maximumBytes: Int
    private let steps: Steps
    private let didSettle: @Sendable () -> Void
    private let isStopping = Atomic(false)
    private let stopSignal = Semaphore()
    private let thread = Mutex<POSIXThread?>(nil)

    /// How much is loaded at once.
    package struct Steps: Sendable {
        /// The number of events that are read in a transaction.
        package var events: Int64 = 4096
        /// The size of the events that are sorted into the index together, in bytes.
        ///
        /// Each part copies almost the whole index, because its events are all over the sphere.
        package var bytes = 24_000_000

        package init() {}
    }

    /// Creates a loader that does nothing yet.
    ///
    /// - Parameters:
    ///   - index: What to load.
    ///   - readers: The readers of the database.
    ///   - representation: How the index keeps events.
    ///   - maximumBytes: The memory from which loading is given up.
    ///   - steps: How much is loaded at once.
    ///   - didSettle: Called when all events are loaded or take too much memory.
    package init(
        _ index: LivingEventIndex,
        _ readers: ReaderPool,
        _ representation: EventRepresentation,
        maximumBytes: Int,
        steps: Steps = Steps(),
        didSettle: @escaping @Sendable () -> Void = {}
    ) {
        self.index = index
        self.readers = readers
        self.representation = representation
        self.maximumBytes = maximumBytes
        self.steps = steps
        self.didSettle = didSettle
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
            guard index.needsLoading else {
                didSettle()
                index.waitForNeed()
                continue
            }
            let pause = pauses.wait(now: MonotonicClock.milliseconds())
            if pause > 0 { stopSignal.wait(atMostMilliseconds: pause) }
            guard !isStopping.load(ordering: .relaxed) else { return }
            _ = load()
            pauses.noteEnd(now: MonotonicClock.milliseconds())
            readers.threadDidSettle()
        }
    }

    /// How an attempt to load all events has ended.
    package enum Outcome {
        /// All events are loaded, or take too much memory.
        case finished
        /// Another process has changed the database meanwhile.
        case outdated
        /// The database could not be read.
        case failed
    }

    /// Loads all events on the calling thread, unless they are loaded.
    package func load() -> Outcome {
        let version = readers.indexVersion
        let position = try? readers.read { try SQLiteLog($0).position() }
        readers.threadDidSettle()
        guard index.beginLoading(at: position, { version }) else { return .finished }
        do {
            let outcome = try loadAll()
            // Returns the memory of the rows to the system: 19 MB after a million events.
            malloc_trim(0)
            return outcome
        } catch {
            // Readers use the database and report its errors.
            index.cancelLoading(isTooLarge: false)
            return .failed
        }
    }

    private func loadAll() throws -> Outcome {
        var events = EventSnapshot()
        var part: [EventChange] = []
        var partBytes = 0
        var firstID: Int64? = .min
        while let id = firstID {
            let next = try nextEvents(from: id)
            firstID = next.last.flatMap { $0.id < .max ? $0.id + 1 : nil }
            guard !isStopping.load(ordering: .relaxed) else {
                index.cancelLoading(isTooLarge: false)
                return .finished
            }
            guard index.isLoading({ readers.indexVersion }) else {
                index.cancelLoading(isTooLarge: false)
                return .outdated
            }
            part += next
            partBytes += next.reduce(0) { $0 + $1.byteCount }
            if events.byteCount + partBytes > maximumBytes {
                index.cancelLoading(isTooLarge: true)
                return .finished
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

    /// Returns the next events from this id on, in the order of their ids.
    private func nextEvents(from id: Int64) throws -> [EventChange] {
        defer { readers.threadDidSettle() }
        return try readers.read { connection in
            try connection.all(
                """
                SELECT id, owner_id, latitude, longitude, name, address, started_at, ended_at
                FROM events WHERE id >= ? ORDER BY id LIMIT ?
                """,
                .integer(id),
                .integer(steps.events)
            ) { row in EventChange(Event(row), representation) }
        }
    }
}
