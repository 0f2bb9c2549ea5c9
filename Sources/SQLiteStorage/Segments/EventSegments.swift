import CLinux
import Model
import SQLite
import System
import struct Synchronization.Atomic

/// The segments of events by place and by owner, for searches without events in memory.
///
/// With them, a search reads only the rows of its results. They take part of each write, so they
/// only exist while a server doesn't have all events in memory. The migrations create indexes that
/// are enough for everything else.
///
/// A thread creates and drops them. Every second, it brings outdated ones up to date, and looks
/// whether they all are as they should be: creating them can fail, and another server can have
/// dropped them. Without segments, it looks every minute.
package final class EventSegments: Sendable {
    /// How long to wait before looking again, in ms.
    private static let pause = (withSegments: Int64(1000), without: Int64(60_000))
    /// The wait as a multiple of the time that the segments took to be brought up to date.
    private static let restFactor: Int64 = 4

    private let writer: Writer
    private let readers: ReaderPool
    private let areNeeded: @Sendable () -> Bool?
    private let observe: @Sendable (StorageEvent) -> Void
    private let exist = Atomic(false)
    /// Whether it was announced that searches are being prepared, but not that they are.
    private let isAnnounced = Atomic(false)
    private let isStopping = Atomic(false)
    private let signal = Semaphore()
    private let thread = Mutex<POSIXThread?>(nil)

    /// Creates a value that does nothing yet.
    ///
    /// - Parameters:
    ///   - writer: The writer of the database.
    ///   - readers: The readers of the database.
    ///   - observe: Called if creating the segments takes long, and if it fails.
    ///   - areNeeded: Whether the segments must exist; nil if that is not known yet.
    init(
        _ writer: Writer,
        _ readers: ReaderPool,
        observe: @escaping @Sendable (StorageEvent) -> Void,
        areNeeded: @escaping @Sendable () -> Bool?
    ) {
        self.writer = writer
        self.readers = readers
        self.observe = observe
        self.areNeeded = areNeeded
    }

    /// Starts the thread; throws `ThreadError` if that fails.
    func start() throws {
        let thread = try POSIXThread { [self] in run() }
        self.thread.withLock { $0 = thread }
    }

    /// Whether they existed when the thread last looked.
    var existed: Bool { exist.load(ordering: .relaxed) }

    /// Looks whether the segments are as they should be; returns immediately.
    func check() { signal.signal() }

    /// Ends the thread; blocks until that is done, for as long as an index is being created.
    func stop() {
        isStopping.store(true, ordering: .relaxed)
        signal.signal()
        let thread = self.thread.withLock { thread in
            defer { thread = nil }
            return thread
        }
        thread?.join()
    }

    /// Returns whether an object of the schema, such as `table events`, is one of them.
    static func include(_ object: String) -> Bool {
        SegmentSQL.objects.contains(object) || SegmentSQL.formerObjects.contains(object)
    }

    private func run() {
        var lastCause: String?
        while !isStopping.load(ordering: .relaxed) {
            var rest = Self.pause.without
            do {
                switch areNeeded() {
                case true?:
                    let begin = MonotonicClock.milliseconds()
                    let isDone = try update()
                    let work = MonotonicClock.milliseconds() - begin
                    let needed = max(Self.pause.withSegments, Self.restFactor * work)
                    rest = isDone ? min(needed, Self.pause.without) : 0
                case false?: try drop()
                case nil: break
                }
                lastCause = nil
            } catch WriterError.stopped {
                return
            } catch {
                let cause = "\(error)"
                if cause != lastCause { observe(.notIndexed(cause: cause)) }
                lastCause = cause
            }
            if rest > 0 { signal.wait(atMostMilliseconds: rest) }
        }
    }

    /// Creates the segments if necessary, and brings them up to date.
    ///
    /// Returns false if they are not needed any more, or not yet up to date.
    func update() throws -> Bool {
        let areNew = try existing() != Set(SegmentSQL.objects) || !haveLastSegments()
        if areNew {
            exist.store(false, ordering: .relaxed)
            if let events = try readers.read({ try $0.manyEvents() }) {
                observe(.indexing(events: events))
                isAnnounced.store(true, ordering: .relaxed)
            }
            try writer.writeAndWait { connection in
                try connection.execute(script: SegmentSQL.removal + SegmentSQL.creation)
            }
        }
        for order in EventSegment.Order.allCases {
            var position: EventPosition? = .first
            while let former = position,
                try readers.read({ try $0.hasOutdatedSegment(order, after: former) })
            {
                guard areNeeded() == true, !isStopping.load(ordering: .relaxed) else {
                    return false
                }
                position = try writer.writeAndWait { connection in
                    try connection.refreshSegments(order, after: former)
                }
            }
        }
        exist.store(true, ordering: .relaxed)
        // Returns the memory in which SQLite has sorted the entries of the index of owners.
        if areNew { malloc_trim(0) }
        if isAnnounced.exchange(false, ordering: .relaxed) { observe(.indexed) }
        return true
    }

    /// Drops the segments if they exist.
    private func drop() throws {
        exist.store(false, ordering: .relaxed)
        if try existing().isEmpty { return }
        try writer.writeAndWait { try $0.execute(script: SegmentSQL.removal) }
    }

    /// Returns which of the objects exist, also of those of an earlier version.
    private func existing() throws -> Set<String> {
        try readers.read { connection in
            Set(try connection.all(SegmentSQL.schema) { $0.text(0) }.filter(Self.include))
        }
    }

    /// Returns false if another program has removed the last segment of an order.
    private func haveLastSegments() throws -> Bool {
        let count = try readers.read { connection in
            try connection.first(SegmentSQL.lastSegments) { row in row.int64(0) }
        }
        return count == Int64(EventSegment.Order.allCases.count)
    }
}

extension SQLiteError {
    /// Whether a statement names a table or an index that only exists with segments.
    var isOfMissingSegments: Bool {
        let names = SegmentSQL.objects.compactMap { $0.split(separator: " ").last }
        return code == .error
            && names.contains {
                message == "no such table: \($0)" || message == "no such index: \($0)"
            }
    }
}
