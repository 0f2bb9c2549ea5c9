import Testing
import System

@testable import SQLite

/// The calls of a follower of the writer's changes, and the versions of the database.
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
    }

    @Test func aCommitIsToldWithTheVersionsAroundIt() throws {
        let before = try #require(connection.version)

        _ = try WriteBatch(connection).commit([job("a"), job("b")])

        let after = try #require(connection.version)
        #expect(
            follower.calls == [.willChange(before, commits: 1), .didChange(["a", "b"], after)]
        )
        #expect(after.commitCount == before.commitCount + 1)
    }

    @Test func undoneJobsAreUndoneForTheFollower() throws {
        _ = try WriteBatch(connection).commit([job("a"), failingJob("b"), job("c")])

        let version = try #require(connection.version)
        // All jobs are performed again after the first failure.
        #expect(follower.calls.last == .didChange(["a", "c"], version))
        #expect(try connection.notes() == ["a", "c"])
        #expect(follower.calls.count == 4)
    }

    @Test func aTransactionThatIsRolledBackLeavesNoChange() throws {
        let before = try #require(connection.version)
        let full = WriteJob(
            perform: { [follower] connection in
                try connection.insertNote("a")
                follower.note("a")
                throw SQLiteError(code: ResultCode(rawValue: 13), message: "full")
            },
            fail: { _ in }
        )

        #expect(throws: SQLiteError.self) { try WriteBatch(connection).commit([full]) }

        #expect(follower.calls == [.willChange(before, commits: 1), .didChange([], before)])
    }

    @Test func aCommitOfAnotherProgramNextToTheWritersIsUnknown() throws {
        let database = database
        let job = WriteJob(
            perform: { [follower] connection in
                try connection.insertNote("a")
                follower.note("a")
                // Between a commit and the look at the version, any program can commit.
                try connection.run("COMMIT")
                try database.connection().insertNote("elsewhere")
                try connection.run("BEGIN IMMEDIATE")
                return {}
            },
            fail: { _ in }
        )

        _ = try WriteBatch(connection).commit([job])

        #expect(follower.calls.last == .didChange([], nil))
    }

    @Test func aFailedCommitLeavesNoChange() throws {
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
            perform: { [follower] connection in
                try connection.run("INSERT INTO children VALUES (1)")
                follower.note("a")
                return {}
            },
            fail: { _ in }
        )

        let before = try #require(connection.version)

        #expect(throws: SQLiteError.self) { try WriteBatch(connection).commit([orphan]) }

        #expect(follower.calls == [.willChange(before, commits: 1), .didChange([], before)])
    }

    @Test func aTruncatedWALHasTheSameContent() throws {
        try connection.insertNote("a")
        let before = try #require(connection.version)

        try connection.checkpoint(.truncate)

        let after = try #require(connection.version)
        #expect(follower.calls == [.willChange(before, commits: 0), .didChange([], after)])
        #expect(after != before)
        #expect(after.commitCount == before.commitCount)
    }

    @Test func aCommitOfAnotherProgramDuringATruncationIsUnknown() throws {
        try connection.insertNote("a")
        let before = try #require(connection.version)
        follower.note("b")
        let database = database
        follower.beforeChange {
            #expect(throws: Never.self) { try database.connection().insertNote("elsewhere") }
        }

        try connection.checkpoint(.truncate)

        #expect(
            follower.calls == [
                .willChange(before, commits: 0), .didChangeInAnUnknownWay(changes: ["b"]),
            ]
        )
        #expect(try connection.notes() == ["a", "elsewhere"])
    }

    @Test func aTruncationThatFailsHasTheSameContent() throws {
        try connection.insertNote("a")
        let reader = try database.connection()
        try reader.run("BEGIN")
        _ = try reader.notes()
        let before = try #require(connection.version)
        try connection.setPatience(milliseconds: 0)

        #expect(throws: SQLiteError.self) { try connection.checkpoint(.truncate) }

        #expect(follower.calls == [.willChange(before, commits: 0), .didChange([], before)])
    }

    private func job(_ text: String) -> WriteJob {
        WriteJob(
            perform: { [follower] connection in
                try connection.insertNote(text)
                follower.note(text)
                return {}
            },
            fail: { _ in }
        )
    }

    private func failingJob(_ text: String) -> WriteJob {
        WriteJob(
            perform: { [follower] connection in
                try connection.insertNote(text)
                follower.note(text)
                throw CancellationError()
            },
            fail: { _ in }
        )
    }
}

/// Records its calls.
private final class RecordingFollower: ChangeFollower {
    enum Call: Equatable {
        case willChange(DatabaseVersion?, commits: UInt32)
        case didChange([String], DatabaseVersion?)
        case didChangeInAnUnknownWay(changes: [String])
    }

    private struct State {
        var calls: [Call] = []
        var changes: [String] = []
        var beforeChange: @Sendable () -> Void = {}
    }

    private let state = Mutex(State())

    var calls: [Call] { state.withLock { $0.calls } }

    /// Runs `action` at the end of each `willChange`.
    func beforeChange(_ action: @escaping @Sendable () -> Void) {
        state.withLock { $0.beforeChange = action }
    }

    func note(_ change: String) { state.withLock { $0.changes.append(change) } }

    func willChange(_ version: DatabaseVersion?, commits: UInt32) {
        let action = state.withLock { state in
            state.calls.append(.willChange(version, commits: commits))
            return state.beforeChange
        }
        action()
    }

    func willCommit(_ connection: Connection) {}

    var changeCount: Int { state.withLock { $0.changes.count } }

    func undoChanges(keeping count: Int) {
        state.withLock { state in state.changes.removeLast(state.changes.count - count) }
    }

    func didChange(_ version: DatabaseVersion?) {
        state.withLock { state in
            state.calls.append(.didChange(state.changes, version))
            state.changes = []
        }
    }

    func didChangeInAnUnknownWay() {
        state.withLock { state in
            state.calls.append(.didChangeInAnUnknownWay(changes: state.changes))
        }
    }
}
