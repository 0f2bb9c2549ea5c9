import CSQLite
import SQLite
import StorageSupport
import Testing

@testable import SQLiteStorage

/// The query plans of searches.
struct QueryPlanTests {
    private let storage: StorageFixture

    init() throws {
        storage = try StorageFixture()
    }

    @Test func `reads the places in ranges of cells in the order of the index`() async throws {
        let statements = [
            SQLitePlaceReader.risingPlaces, SQLitePlaceReader.fallingPlaces, EventSQL.places,
            EventSQL.placesInWindow,
        ]
        for sql in statements {
            #expect(
                try plan(of: sql) == ["SEARCH events USING INDEX events_cell (cell>? AND cell<?)"]
            )
        }

        try await storage.createCoveringIndexes()

        for sql in statements {
            let index = "SEARCH events USING COVERING INDEX events_cell_covering"
            #expect(try plan(of: sql) == ["\(index) (cell>? AND cell<?)"])
        }
    }

    @Test func `reads an owner's events in the order of the index`() async throws {
        let block = "SEARCH events USING INDEX events_block_owner_id (<expr>=? AND owner_id=?"
        for (sql, range) in [
            (EventSQL.firstOwnedInBlock, "rowid>?"), (EventSQL.lastOwnedInBlock, "rowid<?"),
        ] {
            #expect(try plan(of: sql) == ["\(block) AND \(range))"])
        }
        let count = block.replacing("INDEX", with: "COVERING INDEX")
        #expect(try plan(of: EventSQL.ownedCountInBlock).contains("\(count))"))

        try await storage.createCoveringIndexes()

        let index = "SEARCH events USING COVERING INDEX events_owner_id_covering"
        for (sql, range) in [
            (EventSQL.firstOwned, "id>? AND id<?"), (EventSQL.lastOwned, "id>? AND id<?"),
            (EventSQL.ownedIDAfter, "id>?"), (EventSQL.ownedIDBefore, "id<?"),
        ] {
            #expect(try plan(of: sql) == ["\(index) (owner_id=? AND \(range))"])
        }
    }

    @Test func `reads events by their ids`() throws {
        let plan = try plan(of: SQLitePlaceReader.eventsByID)

        #expect(plan.last == "SEARCH e USING INTEGER PRIMARY KEY (rowid=?)")
        #expect(!plan.contains { $0.hasPrefix("SCAN e") })
    }

    @Test func `reads starts in the order of the index`() throws {
        for sql in [EventSQL.firstStarts, EventSQL.lastStarts] {
            let index = "SEARCH events USING INDEX events_span_started_at"

            // SQLite reads the row of no entry, although it doesn't say so: a virtual column
            // counts as all columns.
            #expect(
                try plan(of: sql) == ["\(index) (span=? AND started_at>? AND started_at<?)"]
            )
        }
    }

    @Test func `reads one index entry for each span`() throws {
        let plan = try plan(of: EventSpans.used)

        #expect(
            plan.filter { $0.contains("events") } == [
                "SEARCH events USING INDEX events_span_started_at",
                "SEARCH events USING INDEX events_span_started_at (span>?)",
            ]
        )
    }

    /// The steps of a statement (<https://sqlite.org/eqp.html>).
    private func plan(of sql: StaticString) throws -> [String] {
        var database: OpaquePointer?
        try #require(unsafe sqlite3_open(storage.configuration.path, &database) == SQLITE_OK)
        defer { unsafe sqlite3_close(database) }
        var statement: OpaquePointer?
        let code = unsafe sqlite3_prepare_v2(
            database,
            "EXPLAIN QUERY PLAN \(sql)",
            -1,
            &statement,
            nil
        )
        try #require(code == SQLITE_OK)
        defer { unsafe sqlite3_finalize(statement) }
        var steps: [String] = []
        while unsafe sqlite3_step(statement) == SQLITE_ROW {
            steps.append(unsafe String(cString: sqlite3_column_text(statement, 3)))
        }
        return steps
    }
}
