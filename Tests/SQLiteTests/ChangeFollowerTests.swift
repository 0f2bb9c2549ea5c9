import Testing
import System

@testable import SQLite

/// The calls of a follower of the writer's transactions, and the versions of the database.
@Suite struct ChangeFollowerTests {
    private let database: TemporaryDatabase
    private let connection: Connection
    private let follower = RecordingFollower()

    init() throws {
        database = try TemporaryDatabase()
        connection = try database.connection()
        connection.follower = follower
    }

    @Test func versionsDifferAfterEachCommitOfAnyConnection() throws {
        let other = try database.connection()
        var versions: [DatabaseVersion] = []
        for number in 1...20 {
            try (number % 3 == 0 ? other : connection).insertNote("\(number)")
            let version = try #require(connection.version)
            #expect(other.version == version)
            #expect(!versions.contains(version))
            #expect(versions.allSatisfy { $0.commitCount < version.commitCount })
            versions.append(version)
        }
    }

    @Test func versionsStayWithoutACommit() throws {
        try connection.insertNote("a")
        let version = try #require(connection.version)

        _ = try connection.notes()
        try connection.run("BEGIN IMMEDIATE")
        try connection.insertNote("b")
        try connection.run("ROLLBACK")
        try connection.checkpoint(.passive)

        #expect(connection.version == version)
        try connection.checkpoint(.truncate)
        #expect(connection.version?.commitCount == version.commitCount)
    }

    @Test func readsTheTransactionAndGetsTheVersionAfterIt() throws {
        let before = try #require(connection.version)

        _ = try WriteBatch(connection).commit([job("a"), job("b")])

        let after = try #require(connection.version)
        #expect(follower.calls == [.didBegin, .willCommit(["a", "b"]), .didCommit(after)])
        #expect(after.commitCount == before.commitCount + 1)
    }

    @Test func doesNotSeeJobsThatWereUndone() throws {
        _ = try WriteBatch(connection).commit([job("a"), failingJob("b"), job("c")])

        // All jobs are performed again after the first failure.
        #expect(
            follower.calls == [
                .didBegin, .didFail, .didBegin, .willCommit(["a", "c"]),
                .didCommit(connection.version),
            ]
        )
    }

    @Test func isToldThatATransactionIsRolledBack() throws {
        let full = WriteJob(
            perform: { connection in
                try connection.insertNote("a")
                throw SQLiteError(code: ResultCode(rawValue: 13), message: "full")
            },
            fail: { _ in }
        )

        #expect(throws: SQLiteError.self) { try WriteBatch(connection).commit([full]) }

        #expect(follower.calls == [.didBegin, .didFail])
    }

    @Test func undoesATransactionWhoseBeginningFails() throws {
        let failing = RecordingFollower(fails: true)
        connection.follower = failing

        #expect(throws: CancellationError.self) { try WriteBatch(connection).commit([job("a")]) }

        #expect(failing.calls == [.didBegin, .didFail])
        #expect(try connection.notes() == [])
    }

    @Test func getsNoVersionIfAnotherProgramHasCommitted() throws {
        let database = database
        let job = WriteJob(
            perform: { connection in
                try connection.insertNote("a")
                // Between a commit and the look at the version, any program can commit.
                try connection.run("COMMIT")
                try database.connection().insertNote("elsewhere")
                try connection.run("BEGIN IMMEDIATE")
                return {}
            },
            fail: { _ in }
        )

        _ = try WriteBatch(connection).commit([job])

        #expect(follower.calls.last == .didCommit(nil))
    }

    @Test func isToldThatACommitHasFailed() throws {
        try connection.run("PRAGMA foreign_keys = ON")
        try connection.execute(
            script: """
                CREATE TABLE parents (id INTEGER PRIMARY KEY);
                CREATE TABLE children (
                    parent INTEGER REFERENCES parents (id) DEFERRABLE INITIALLY DEFERRED
                );
                """
        )
        let orphan = WriteJob(
            perform: { connection in
                try connection.run("INSERT INTO children VALUES (1)")
                return {}
            },
            fail: { _ in }
        )

        #expect(throws: SQLiteError.self) { try WriteBatch(connection).commit([orphan]) }

        #expect(follower.calls == [.didBegin, .willCommit([]), .didFail])
    }

    private func job(_ text: String) -> WriteJob {
        WriteJob(
            perform: { connection in
                try connection.insertNote(text)
                return {}
            },
            fail: { _ in }
        )
    }

    private func failingJob(_ text: String) -> WriteJob {
        WriteJob(
            perform: { connection in
                try connection.insertNote(text)
                throw CancellationError()
            },
            fail: { _ in }
        )
    }
}

/// Records its calls.
private final class RecordingFollower: ChangeFollower {
    enum Call: Equatable {
        case didBegin
        case willCommit([String])
        case didCommit(DatabaseVersion?)
        case didFail
        case didReopen
    }

    private let fails: Bool
    private let recorded = Mutex<[Call]>([])

    init(fails: Bool = false) { self.fails = fails }

    var calls: [Call] { recorded.withLock { $0 } }

    func didBegin(_ connection: Connection) throws {
        recorded.withLock { $0.append(.didBegin) }
        if fails { throw CancellationError() }
    }

    func willCommit(_ connection: Connection) {
        let notes = (try? connection.notes()) ?? []
        recorded.withLock { $0.append(.willCommit(notes)) }
    }

    func didCommit(_ version: DatabaseVersion?) {
        recorded.withLock { $0.append(.didCommit(version)) }
    }

    func didFail() { recorded.withLock { $0.append(.didFail) } }

    func didReopen() { recorded.withLock { $0.append(.didReopen) } }
}
