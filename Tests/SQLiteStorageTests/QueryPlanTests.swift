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

    @Test func `reads the places in ranges of cells in the order of the index`() throws {
        let statements = [
            SQLitePlaceReader.risingPlaces, SQLitePlaceReader.fallingPlaces, EventSQL.places,
        ]
        for sql in statements {
            #expect(
                try plan(of: sql) == ["SEARCH events USING INDEX events_cell (cell>? AND cell<?)"]
            )
        }
    }

    /// Without the events of those that edges exclude: SQLite reads a column of the table when it
    /// needs it.
    @Test func `reads segments in the order of the index`() throws {
        _ = try storage.databaseWithSegments()
        let index = "SEARCH event_segments_2 USING INDEX event_segments_2_key (ordering=? AND "
        #expect(try plan(of: SegmentSQL.from) == ["\(index)(key,id)>(?,?))"])
        #expect(try plan(of: SegmentSQL.before) == ["\(index)key=? AND id<?)"])
        for (sql, range) in [
            (SegmentSQL.keyAt, "(key,id)>(?,?))"), (SegmentSQL.former, "(key,id)<(?,?))"),
        ] {
            let plan = try plan(of: sql)
            #expect(plan == ["\(index.replacing("INDEX", with: "COVERING INDEX"))\(range)"])
        }
        #expect(
            try plan(of: SegmentSQL.firstOutdated) == [
                "SEARCH event_segments_2 USING INDEX event_segments_2_outdated "
                    + "(ordering=? AND (key,id)>(?,?))"
            ]
        )
    }

    @Test func `reads the events of outdated segments by their keys and ids`() throws {
        _ = try storage.databaseWithSegments()
        for (order, column, index) in [
            (EventSegment.Order.cells, "cell", "events_cell"),
            (.owners, "owner_id", "events_owner_id"),
        ] {
            #expect(
                try plan(of: SegmentSQL.events(ofKeyIn: order)) == [
                    "SEARCH events USING INDEX \(index) (\(column)=? AND rowid>? AND rowid<?)"
                ]
            )
            #expect(
                try plan(of: SegmentSQL.events(betweenKeysIn: order)) == [
                    "SEARCH events USING INDEX \(index) (\(column)>? AND \(column)<?)"
                ]
            )
        }
    }

    @Test func `counts an owner's events in one pass`() throws {
        #expect(
            try plan(of: EventSQL.ownedCountOfAll) == [
                "SCAN events USING COVERING INDEX events_span_started_at"
            ]
        )
    }

    @Test func `reads an owner's events in the order of their ids`() throws {
        for sql in [EventSQL.firstOwned, EventSQL.lastOwned] {
            #expect(
                try plan(of: sql) == [
                    "SEARCH events USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)"
                ]
            )
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
    private func plan(of sql: SQL) throws -> [String] {
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
