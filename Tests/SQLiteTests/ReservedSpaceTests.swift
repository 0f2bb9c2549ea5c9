import System
import Testing

@testable import SQLite

@Suite struct ReservedSpaceTests {
    private let database: TemporaryDatabase
    private let connection: Connection

    init() throws {
        database = try TemporaryDatabase()
        connection = try database.connection()
    }

    /// Inserts a note in a transaction of its own, as the writer does.
    private func insert(_ connection: Connection) throws {
        try connection.run("BEGIN IMMEDIATE")
        try connection.insertNote(String(repeating: "a", count: 3000))
        try connection.reserveSpace()
        try connection.run("COMMIT")
    }

    /// Whether the file is long enough for every page, in the WAL or not.
    private func hasSpaceForAllPages() throws -> Bool {
        let pages = try connection.first("PRAGMA page_count") { $0.int64(0) } ?? 0
        return Int64(try #require(database.size(""))) >= pages * 4096
    }

    @Test func `covers eight pages for each row that is changed later`() {
        let space = ReservedSpace(changes: 100, bytes: 3 * 8 * 4096 - 1, version: 1, fileBytes: 9)

        #expect(space.covers(102, version: 1, fileBytes: 9))
        #expect(!space.covers(103, version: 1, fileBytes: 9))
        #expect(!space.covers(100, version: 2, fileBytes: 9))
        #expect(!space.covers(100, version: 1, fileBytes: 8))
        #expect(!ReservedSpace().covers(0, version: 0, fileBytes: 0))
    }

    @Test func `is there after each of many commits`() throws {
        for _ in 1...400 {
            try insert(connection)
            #expect(try hasSpaceForAllPages())
        }
    }

    @Test func `is reserved again after another connection has taken it or given it back`() throws {
        let other = try database.connection()
        for _ in 1...20 {
            try insert(connection)
            for _ in 1...30 { try other.insertNote(String(repeating: "b", count: 3000)) }
            try insert(connection)
            #expect(try hasSpaceForAllPages())

            try other.checkpoint(.passive)
            try insert(connection)
            #expect(try hasSpaceForAllPages())
        }
    }

    @Test func `is reserved again after a checkpoint that a reader kept from ending`() throws {
        try insert(connection)
        let reader = try database.connection()
        try connection.setPatience(milliseconds: 0)
        try reader.run("BEGIN")
        _ = try reader.notes()

        _ = #expect(throws: SQLiteError.self) { try connection.checkpoint(.truncate) }
        try insert(connection)

        #expect(try hasSpaceForAllPages())
    }
}
