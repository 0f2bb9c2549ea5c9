import CLinux
import Model
import SQLite
import Threads
import struct Synchronization.Atomic

/// The indexes of places and owners that contain all values that a search compares.
///
/// With them, a search reads only the rows of its results. Each insert changes a page of each of
/// them, so they only exist while a server doesn't have all events in memory. The migrations
/// create narrow ones, which are enough for everything else.
///
/// A thread creates and drops them. Every minute, it looks whether they are as they should be:
/// creating them can fail, and another server can have dropped them.
package final class CoveringIndexes: Sendable {
    struct Index: Sendable {
        let name: String
        let creation: StaticString
        let removal: StaticString
    }

    static let all = [
        Index(
            name: "events_cell_covering",
            creation: """
                CREATE INDEX IF NOT EXISTS events_cell_covering
                ON events (cell, started_at, ended_at, owner_id, latitude, longitude)
                """,
            removal: "DROP INDEX IF EXISTS events_cell_covering"
        ),
        Index(
            name: "events_owner_id_covering",
            creation: """
                CREATE INDEX IF NOT EXISTS events_owner_id_covering
                ON events (owner_id, id, started_at, ended_at, latitude, longitude)
                """,
            removal: "DROP INDEX IF EXISTS events_owner_id_covering"
        ),
    ]

    /// How long to wait before looking again, in ms.
    private static let pause: Int64 = 60_000
    /// How long other writes can be made between two indexes, in ms.
    private static let pauseBetween: Int64 = 500

    private let writer: Writer
    private let readers: ReaderPool
    private let areNeeded: @Sendable () -> Bool?
    private let observe: @Sendable (StorageEvent) -> Void
    private let exist = Atomic(false)
    private let isStopping = Atomic(false)
    private let signal = Semaphore()
    private let thread = Mutex<POSIXThread?>(nil)

    /// Creates a value that does nothing yet.
    ///
    /// - Parameters:
    ///   - writer: The writer of the database.
    ///   - readers: The readers of the database.
    ///   - observe: Called if creating the indexes takes long, and if it fails.
    ///   - areNeeded: Whether the indexes must exist; nil if that is not known yet.
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

    /// Whether both existed when the thread last looked.
    var existed: Bool { exist.load(ordering: .relaxed) }

    /// Looks whether the indexes are as they should be; returns immediately.
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

    /// Returns whether an object of the schema, such as `index events_cell`, is one of them.
    static func include(_ object: String) -> Bool {
        all.contains { "index \($0.name)" == object }
    }

    private func run() {
        var lastCause: String?
        while !isStopping.load(ordering: .relaxed) {
            do {
                let hasChanged =
                    switch areNeeded() {
                    case true?: try create()
                    case false?: try drop()
                    case nil: false
                    }
                lastCause = nil
                // Meanwhile, the need may have changed.
                if hasChanged { continue }
            } catch WriterError.stopped {
                return
            } catch {
                let cause = "\(error)"
                if cause != lastCause { observe(.notIndexed(cause: cause)) }
                lastCause = cause
            }
            signal.wait(atMostMilliseconds: Self.pause)
        }
    }

    /// Creates those that don't exist; returns whether there were any.
    private func create() throws -> Bool {
        let found = try found()
        let missing = Self.all.filter { !found.contains($0.name) }
        exist.store(missing.isEmpty, ordering: .relaxed)
        if missing.isEmpty { return false }
        let events = try readers.read { connection in try connection.manyEvents() }
        if let events { observe(.indexing(events: events)) }
        for index in missing {
            guard areNeeded() == true, !isStopping.load(ordering: .relaxed) else {
                return true
            }
            try writer.writeAndWait { try $0.run(index.creation) }
            if events != nil { signal.wait(atMostMilliseconds: Self.pauseBetween) }
        }
        // Returns the memory in which SQLite has sorted the entries.
        malloc_trim(0)
        if events != nil { observe(.indexed) }
        return true
    }

    /// Drops those that exist; returns whether there were any.
    private func drop() throws -> Bool {
        exist.store(false, ordering: .relaxed)
        let found = try found()
        let existing = Self.all.filter { found.contains($0.name) }
        for index in existing { try writer.writeAndWait { try $0.run(index.removal) } }
        return !existing.isEmpty
    }

    /// Returns the names of those that exist, among others.
    private func found() throws -> Set<String> {
        try readers.read { connection in
            let names = try connection.all(
                "SELECT name FROM sqlite_schema WHERE type = 'index' AND tbl_name = 'events'"
            ) { row in row.text(0) }
            return Set(names)
        }
    }
}

extension SQLiteError {
    /// Whether a statement names an index that doesn't exist.
    var isOfMissingIndex: Bool { code == .error && message.hasPrefix("no such index") }
}
