import Glibc
import SQLite
import Testing

/// What `<database>-lock` says of the files that a process has open, and what other processes and
/// connections do with that.
struct FileClaimTests {
    private let database: TemporaryDatabase

    init() throws {
        database = try TemporaryDatabase()
        _ = try database.connection()
    }

    private var lockPath: String { database.path + "-lock" }

    /// Fails in every way in which another process would open the database.
    private func expectRefusals(naming path: String) throws {
        let configuration = database.configuration
        let backup = database.directory + "/backup"
        try TemporaryDatabase.makeEmptyFile(backup)
        let attempts: [() throws -> Void] = [
            { _ = try Migrator([], configuration: configuration).migrate() },
            { _ = try Migrator([], configuration: configuration).status() },
            { _ = try Migrator([], configuration: configuration).missingTables() },
            { _ = try OnlineBackup(of: configuration).write(to: backup) },
            { try Writer(configuration).stop() },
        ]
        for attempt in attempts {
            let error = #expect(throws: SQLiteError.self) { try attempt() }
            #expect(error?.code == .cannotOpen)
            let message = error?.message ?? ""
            #expect(message.contains("the server has a different file open than \"\(path)\""))
        }
        try TemporaryDatabase.remove(backup)
    }

    @Test(arguments: ["", "-wal", "-shm"], [false, true])
    func `opens nothing beside a server whose file is elsewhere`(
        suffix: String,
        isReplaced: Bool
    ) async throws {
        let path = database.path + suffix
        let writer = try Writer(database.configuration)
        try await writer.write { try $0.insertNote("before") }
        try TemporaryDatabase.rename(path, to: database.directory + "/away")
        if isReplaced { try TemporaryDatabase.write("another", to: path) }

        #expect(database.configuration.fileInUseElsewhere == path)
        try expectRefusals(naming: path)
        #expect(TemporaryDatabase.size(path) == (isReplaced ? "another".utf8.count : nil))

        try TemporaryDatabase.rename(database.directory + "/away", to: path)
        #expect(database.configuration.fileInUseElsewhere == nil)
        let other = try Writer(database.configuration)
        try await other.write { try $0.insertNote("after") }
        other.stop()
        writer.stop()
        #expect(try database.connection().notes() == ["before", "after"])
    }

    @Test func `takes files that were made anew for its own`() async throws {
        try Writer(database.configuration).stop()
        #expect(database.size("-wal") == nil)
        // As a process has it that is about to open the database, or has just closed it.
        let presence = try LockedByte(0, of: lockPath)

        for _ in 1...2 {
            let writer = try Writer(database.configuration)
            #expect(database.configuration.fileInUseElsewhere == nil)
            try await writer.write { try $0.insertNote("new") }
            writer.stop()
            #expect(database.size("-wal") == nil)
        }
        withExtendedLifetime(presence) {}
    }

    @Test func `leaves its files to others that have them open`() async throws {
        let writer = try Writer(database.configuration)
        try await writer.write { try $0.insertNote("before") }
        let claim = try LockedByte(1, of: lockPath)

        writer.stop()

        #expect(database.size("-wal") != nil)
        #expect(database.configuration.fileInUseElsewhere == nil)
        try TemporaryDatabase.remove(database.path + "-wal")
        #expect(database.configuration.fileInUseElsewhere == database.path + "-wal")
        withExtendedLifetime(claim) {}
    }

    @Test(arguments: ["", "\n", "1\n", "1 2\n", "1 2 3\n", "x y\n", "1 2 3 4 5\n", "1 2 3 4 5 6"])
    func `makes nothing of a text that it does not understand`(text: String) throws {
        try TemporaryDatabase.write(text, to: lockPath)
        let bytes = try [LockedByte(0, of: lockPath), LockedByte(1, of: lockPath)]

        #expect(database.configuration.fileInUseElsewhere == nil)
        try Writer(database.configuration).stop()
        withExtendedLifetime(bytes) {}
    }

    @Test func `forgets what was open before a replacement`() throws {
        try Writer(database.configuration).stop()
        #expect(try #require(database.size("-lock")) > 0)

        _ = try DatabaseReplacement(database.configuration)

        #expect(database.size("-lock") == 0)
    }

    @Test func `opens and closes beside others without a refusal`() async throws {
        let configuration = DatabaseConfiguration(path: database.directory + "/shared")
        let table = "CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT"
        let migrator = try Migrator([("0001_notes", table)], configuration: configuration)
        _ = try migrator.migrate()
        let backup = database.directory + "/backup"
        let rounds = 40
        try await withThrowingTaskGroup { group in
            for number in 1...3 {
                group.addTask {
                    for round in 1...rounds {
                        let writer = try await onThread { try Writer(configuration) }
                        try await writer.write { try $0.insertNote("\(number) \(round)") }
                        try await onThread { writer.stop() }
                    }
                }
            }
            group.addTask {
                for _ in 1...rounds { _ = try await onThread { try migrator.migrate() } }
            }
            group.addTask {
                for _ in 1...rounds {
                    try await onThread {
                        try TemporaryDatabase.makeEmptyFile(backup)
                        _ = try OnlineBackup(of: configuration).write(to: backup)
                        #expect(configuration.fileInUseElsewhere == nil)
                    }
                }
            }
            try await group.waitForAll()
        }

        #expect(try Connection(configuration, .readWrite).notes().count == 3 * rounds)
    }
}

/// A byte of a file that is locked, as another process would have it, until this is let go of.
private final class LockedByte {
    private let descriptor: Int32

    init(_ offset: Int, of path: String) throws {
        descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        var lock = flock()
        lock.l_type = Int16(F_RDLCK)
        lock.l_whence = Int16(SEEK_SET)
        lock.l_start = offset
        lock.l_len = 1
        // F_OFD_SETLK, of <asm-generic/fcntl.h>.
        try #require(unsafe fcntl(descriptor, 37, &lock) == 0)
    }

    deinit {
        close(descriptor)
    }
}
