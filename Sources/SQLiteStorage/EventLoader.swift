package import EventIndex
package import Model
package import SQLite
import Threads
import struct Synchronization.Atomic

/// Loads all events into the index on a separate thread, at the start and whenever another process
/// has changed the database.
///
/// It reads some events at a time, each part in a transaction of its own, so that it keeps neither
/// the WAL nor other readers waiting.
package final class EventLoader: Sendable {
    private let index: LivingEventIndex
    private let readers: ReaderPool
    private let representation: EventRepresentation
    private let maximumBytes: Int
    private let isStopping = Atomic(false)
    private let stopSignal = Semaphore()
    private let thread = Mutex<POSIXThread?>(nil)

    /// The number of events that are read in a transaction.
    private static let eventsAtOnce: Int64 = 4096
    /// The number of events that are sorted into the index together.
    ///
    /// Each part copies almost the whole index, because its events are all over the sphere.
    private static let eventsInAPart = 65_536
    /// How long it waits while another process goes on changing the database.
    private static let pauseMilliseconds: Int64 = 500

    /// Creates a loader that does nothing yet.
    ///
    /// - Parameters:
    ///   - index: What to load.
    ///   - readers: The readers of the database.
    ///   - representation: How the index keeps events.
    ///   - maximumBytes: The memory from which loading is given up.
    package init(
        _ index: LivingEventIndex,
        _ readers: ReaderPool,
        _ representation: EventRepresentation,
        maximumBytes: Int
    ) {
        self.index = index
        self.readers = readers
        self.representation = representation
        self.maximumBytes = maximumBytes
    }

    /// Starts the thread; throws `ThreadError` if that fails.
    func start() throws {
        let thread = try POSIXThread { [self] in run() }
        self.thread.withLock { $0 = thread }
    }

    /// Ends the thread; blocks until that is done.
    func stop() {
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
        while !isStopping.load(ordering: .relaxed) {
            let outcome = load()
            readers.threadDidSettle()
            switch outcome {
            case .finished: index.waitForNeed()
            case .outdated: stopSignal.wait(atMostMilliseconds: Self.pauseMilliseconds)
            }
        }
    }

    package enum Outcome {
        /// All events are loaded, or are not to be loaded now.
        case finished
        /// Another process has changed the database meanwhile.
        case outdated
    }

    /// Loads all events on the calling thread.
    package func load() -> Outcome {
        index.beginLoading { readers.indexVersion }
        do {
            guard readers.indexVersion != nil else {
                // Without a version, nobody would notice the changes of other processes.
                index.cancelLoading(isTooLarge: false)
                return .finished
            }
            var events = EventSnapshot()
            var part: [EventChange] = []
            var last = Int64.min
            repeat {
                let next = try nextEvents(after: last)
                guard !isStopping.load(ordering: .relaxed) else { break }
                guard index.isLoading else { return .outdated }
                part += next
                last = next.last?.id ?? .max
                guard part.count >= Self.eventsInAPart || next.isEmpty else { continue }
                events.apply(part)
                part.removeAll(keepingCapacity: true)
                if events.byteCount > maximumBytes {
                    index.cancelLoading(isTooLarge: true)
                    return .finished
                }
            } while last < .max
            return index.finishLoading(events) { readers.indexVersion } ? .finished : .outdated
        } catch {
            // Readers use the database and report its errors. The next change tries again.
            index.cancelLoading(isTooLarge: false)
            return .finished
        }
    }

    /// Returns the next events in the order of their ids, none after the last one.
    private func nextEvents(after id: Int64) throws -> [EventChange] {
        defer { readers.threadDidSettle() }
        return try readers.read { connection in
            try connection.all(
                """
                SELECT id, owner_id, latitude, longitude, name, address, started_at, ended_at
                FROM events WHERE id > ? ORDER BY id LIMIT ?
                """,
                .integer(id),
                .integer(Self.eventsAtOnce)
            ) { row in EventChange(Event(row), representation) }
        }
    }
}
