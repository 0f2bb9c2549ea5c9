import CSQLite
import FoundationEssentials
import Glibc
import System

@testable import SQLite

/// A database file in a directory of its own, which goes with the last reference.
final class TemporaryDatabase: Sendable {
    let directory: String

    var path: String { directory + "/test.sqlite3" }

    var configuration: DatabaseConfiguration {
        DatabaseConfiguration(path: path)
    }

    init() throws {
        directory = "/tmp/humon-sqlite-\(UUID().uuidString)"
        try FileManager.default.createDirectory(
            atPath: directory,
            withIntermediateDirectories: false
        )
    }

    deinit {
        try? FileManager.default.removeItem(atPath: directory)
    }

    /// A connection that may write, to the file, which then has a table `notes(id, text)`.
    func connection() throws -> Connection {
        let connection = try Connection(configuration, .readWrite)
        try connection.run(
            "CREATE TABLE IF NOT EXISTS notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT"
        )
        return connection
    }

    /// Permissions of one of the database's files.
    func mode(_ suffix: String) -> mode_t? {
        var information = stat()
        guard unsafe stat(path + suffix, &information) == 0 else { return nil }
        return information.st_mode & 0o777
    }

    /// Size of one of the database's files in bytes; nil if it is not there.
    func size(_ suffix: String) -> Int? {
        Self.size(path + suffix)
    }

    static func size(_ path: String) -> Int? {
        var information = stat()
        guard unsafe stat(path, &information) == 0 else { return nil }
        return Int(information.st_size)
    }

    static func makeEmptyFile(_ path: String) throws {
        try write("", to: path)
    }

    static func write(_ text: String, to path: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    }

    static func rename(_ path: String, to other: String) throws {
        guard unsafe Glibc.rename(path, other) == 0 else { throw CocoaError(.fileWriteUnknown) }
    }

    static func remove(_ path: String) throws {
        try FileManager.default.removeItem(atPath: path)
    }

    /// Executes what a connection with its settings would refuse.
    func executeUnprotected(_ sql: String) throws {
        // Afterwards, SQLite can't be configured any more.
        guard Library.isConfigured else { throw CocoaError(.featureUnsupported) }
        var handle: OpaquePointer?
        defer { unsafe sqlite3_close(handle) }
        guard unsafe sqlite3_open(path, &handle) == SQLITE_OK,
            unsafe sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK
        else { throw CocoaError(.fileWriteUnknown) }
    }

    /// Leaves a note in a WAL that nobody has open, as a process does that is killed.
    func abandonWAL(with note: String) throws {
        let writer = try connection()
        try writer.insertNote(note)
        let other = directory + "/other"
        try FileManager.default.copyItem(atPath: path, toPath: other)
        try FileManager.default.copyItem(atPath: path + "-wal", toPath: other + "-wal")
        withExtendedLifetime(writer) {}
        try Self.rename(other, to: path)
        try Self.rename(other + "-wal", to: path + "-wal")
    }
}

extension Connection {
    /// All texts of the table `notes`, in the order of their ids.
    func notes() throws -> [String] {
        try all("SELECT text FROM notes ORDER BY id") { row in row.text(0) }
    }

    func insertNote(_ text: String) throws {
        try run("INSERT INTO notes (text) VALUES (?)", .text(text))
    }
}
