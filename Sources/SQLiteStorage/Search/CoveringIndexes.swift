import Model
import SQLite
import struct Synchronization.Atomic

/// The indexes of places and owners that contain all values that a search compares.
///
/// With them, a search reads only the rows of its results. Each insert changes a page of each of
/// them, so they only exist while a server doesn't have all events in memory. The migrations
/// create narrow ones, which are enough for everything else.
final class CoveringIndexes: Sendable {
    private struct Index {
        let name: String
        let creation: StaticString
        let removal: StaticString
    }

    private static let all = [
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

    /// Whether all of them exist.
    private let areComplete = Atomic(false)

    /// Whether searches can rely on them.
    var exist: Bool { areComplete.load(ordering: .acquiring) }

    /// Returns whether an object of the schema, such as `index events_cell`, is one of them.
    static func contain(_ object: String) -> Bool {
        all.contains { "index \($0.name)" == object }
    }

    /// Creates those that don't exist; returns immediately.
    ///
    /// Other writes wait for about a second for each index of a million events, and can be made
    /// between two of them.
    ///
    /// - Parameters:
    ///   - writer: The writer of the database.
    ///   - readers: The readers of the database.
    ///   - observe: Called if creating them takes long, and if it fails.
    func create(
        by writer: Writer,
        _ readers: ReaderPool,
        observe: @escaping @Sendable (StorageEvent) -> Void
    ) {
        let found = Self.found(by: readers)
        let missing = Self.all.filter { !found.contains($0.name) }
        create(missing[...], by: writer, isAnnounced: false, observe)
    }

    private func create(
        _ rest: ArraySlice<Index>,
        by writer: Writer,
        isAnnounced: Bool,
        _ observe: @escaping @Sendable (StorageEvent) -> Void
    ) {
        guard let index = rest.first else {
            areComplete.store(true, ordering: .releasing)
            if isAnnounced { observe(.indexed) }
            return
        }
        writer.write { connection in
            let events = try connection.manyEvents()
            if let events, !isAnnounced { observe(.indexing(events: events)) }
            try connection.run(index.creation)
            return isAnnounced || events != nil
        } completion: { [self] result in
            switch result {
            case .success(let isAnnounced):
                create(rest.dropFirst(), by: writer, isAnnounced: isAnnounced, observe)
            // The server stops, and its next start continues.
            case .failure(WriterError.stopped): break
            case .failure(let error): observe(.notIndexed(cause: "\(error)"))
            }
        }
    }

    /// Drops those that exist; returns immediately.
    ///
    /// If that fails, inserts are slower until the next start.
    func drop(by writer: Writer, _ readers: ReaderPool) {
        areComplete.store(false, ordering: .releasing)
        let found = Self.found(by: readers)
        if found.isEmpty { return }
        writer.write { connection in
            for index in Self.all where found.contains(index.name) {
                try connection.run(index.removal)
            }
        } completion: { _ in
        }
    }

    /// Returns the names of those that exist; empty if the database can't be read.
    private static func found(by readers: ReaderPool) -> Set<String> {
        // The thread may not read again for a long time, and the WAL would grow until then.
        defer { readers.threadDidSettle() }
        let names = try? readers.read { connection in
            try connection.all(
                """
                SELECT name FROM sqlite_schema
                WHERE type = 'index' AND tbl_name = 'events' AND name LIKE '%covering'
                """
            ) { row in row.text(0) }
        }
        return Set(names ?? [])
    }
}
