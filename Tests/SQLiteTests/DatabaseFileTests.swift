import FoundationEssentials
import Glibc
import Testing

@testable import SQLite

struct DatabaseFileTests {
    private let database: TemporaryDatabase
    private var other: String { database.directory + "/other.sqlite3" }
    private var files: [String] {
        get throws {
            try FileManager.default.contentsOfDirectory(atPath: database.directory).sorted()
        }
    }

    init() throws {
        database = try TemporaryDatabase()
    }

    private func message(_ body: () throws -> Void) -> String? {
        #expect(throws: SQLiteError.self, performing: body)?.message
    }

    @Test func `is not opened by one of two names, to write or to copy it`() throws {
        _ = try database.connection()
        #expect(unsafe link(database.path, other) == 0)
        let before = try files
        let expected = """
            "\(database.path)" has 2 hard links. Find them with `find -samefile` and remove the \
            others: writes through one name would destroy those through another
            """

        let configuration = database.configuration
        #expect(message { _ = try Connection(configuration, .readWrite) } == expected)
        #expect(message { try Writer(configuration).stop() } == expected)
        #expect(
            message { _ = try Migrator([], configuration: configuration).migrate() } == expected
        )
        #expect(message { _ = try DatabaseReplacement(configuration) } == expected)
        #expect(message { _ = try OnlineBackup(of: configuration).write(to: other) } == expected)
        #expect(try files == before)

        try TemporaryDatabase.remove(other)
        try Writer(configuration).stop()
    }

    @Test func `is not made where a link leads nowhere`() throws {
        #expect(unsafe symlink("absent/db", database.path) == 0)

        let found = message { try Writer(database.configuration).stop() }

        #expect(
            found == """
                "\(database.path)" is a link to "absent/db", which does not exist: is the disk \
                mounted?
                """
        )
        #expect(try files == ["test.sqlite3"])
    }

    @Test func `is a regular file`() throws {
        #expect(unsafe mkfifo(database.path, 0o600) == 0)
        let expected = "\"\(database.path)\" is not a database"

        #expect(message { try Writer(database.configuration).stop() } == expected)
        #expect(message { try database.configuration.check() } == expected)
        #expect(try files == ["test.sqlite3"])
    }

    @Test func `begins as a database does`() throws {
        try database.configuration.check()
        try TemporaryDatabase.makeEmptyFile(database.path)
        try database.configuration.check()
        _ = try Migrator([], configuration: database.configuration).migrate()
        try database.configuration.check()
        try TemporaryDatabase.write("root:x:0:0", to: database.path)

        let found = message { try database.configuration.check() }

        #expect(found == "\"\(database.path)\" is not a database")
    }

    @Test func `says why it can't be opened, and what to do`() throws {
        _ = try database.connection()
        #expect(unsafe chmod(database.path, 0) == 0)
        let configuration = database.configuration

        let found = asNobody { message { _ = try Connection(configuration, .inspect) } }

        #expect(
            found == """
                cannot open the database \(database.path): Permission denied: user \(geteuid()) \
                can't read and write the file "\(database.path)", which belongs to user \
                \(geteuid()): run `chmod u+rwX '\(database.path)'`
                """
        )
    }

    @Test func `names the folder of another user, and how to change its owner`() throws {
        let folder = database.directory
        #expect(unsafe chmod(folder, 0o500) == 0)
        defer { _ = unsafe chmod(folder, 0o700) }

        let found = asNobody { message { _ = try WriterLock(database.configuration) } }

        #expect(
            found == """
                cannot open the database \(database.path): Permission denied: user \(geteuid()) \
                can't write to the folder "\(folder)", which belongs to user \(geteuid()): run \
                `chmod u+rwX '\(folder)'`
                """
        )
    }

    @Test(.enabled(if: geteuid() == 0, "only the superuser gives files to others"))
    func `names the file of another user beside the database`() throws {
        _ = try database.connection()
        let lock = database.path + FileSuffix.lock
        try TemporaryDatabase.makeEmptyFile(lock)
        #expect(unsafe chmod(database.directory, 0o777) == 0)
        #expect(unsafe chmod(lock, 0o600) == 0 && chown(lock, 4711, 4711) == 0)

        let found = asNobody { message { _ = try WriterLock(database.configuration) } }

        #expect(
            found == """
                cannot open the database \(database.path): Permission denied: user 0 can't read \
                and write the file "\(lock)", which belongs to user 4711: run it as the server's \
                user, or run `sudo chown 0:0 '\(lock)'`
                """
        )
    }

    @Test func `is copied from a folder that can't be written to`() throws {
        try database.connection().insertNote("one")
        let target = try TemporaryDatabase()
        try TemporaryDatabase.makeEmptyFile(target.path)
        for path in [target.path, target.directory] {
            #expect(unsafe chmod(path, 0o777) == 0)
        }
        #expect(unsafe chmod(database.path, 0o444) == 0)
        #expect(unsafe chmod(database.directory, 0o555) == 0)
        defer { unsafe chmod(database.directory, 0o755) }
        let before = try files

        let report = try asNobody {
            try OnlineBackup(of: database.configuration).write(to: target.path)
        }

        #expect(report.rows == 1)
        #expect(try files == before)
    }

    @Test func `is one by its own name and by that of a link`() throws {
        let link = database.directory + "/link"
        #expect(unsafe symlink("test.sqlite3", link) == 0)
        try TemporaryDatabase.makeEmptyFile(database.path)
        let writer = try Writer(database.configuration)
        let linked = DatabaseConfiguration(path: link)

        #expect(linked.isInUse)
        #expect(throws: DatabaseInUse(path: link, isByThisProgram: true)) {
            _ = try DatabaseReplacement(linked)
        }

        writer.stop()
        #expect(!linked.isInUse)
        try Writer(linked).stop()
        #expect(try files.sorted() == ["link", "test.sqlite3", "test.sqlite3-lock"])
    }

    /// Runs `body` without the rights to files that the superuser has, which belong to a thread.
    private func asNobody<T>(_ body: () throws -> T) rethrows -> T {
        let isSuperuser = geteuid() == 0
        if isSuperuser { _ = setFileUser(65_534) }
        defer { if isSuperuser { _ = setFileUser(0) } }
        return try body()
    }
}

/// `setfsuid`, which the C library's module lacks.
@_silgen_name("setfsuid")
private func setFileUser(_ user: UInt32) -> Int32
