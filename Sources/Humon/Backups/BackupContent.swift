import Glibc
import SQLite

/// What a backup must hold so that it can be restored.
enum BackupContent {
    /// Checks a database from its pages to its tables; O(size of the file).
    ///
    /// - Parameters:
    ///   - database: The database.
    ///   - access: How it is opened.
    ///   - path: The backup that it is a copy of, as messages name it.
    ///   - configuration: What the migrations are for.
    /// - Returns: How many records it has.
    /// - Throws: `DamagedBackup`, `NotADatabase`, `CommandError` for tables that this program has
    ///   not made, and `SQLiteError` for what is not the file's fault.
    static func verify(
        _ database: DatabaseConfiguration,
        _ access: Connection.Access,
        as path: String,
        _ configuration: Configuration
    ) throws -> Int64 {
        do {
            let connection = try Connection(database, access)
            let faults = try connection.faults(.full)
            guard faults.isEmpty else {
                let shown = faults.prefix(3).joined(separator: "; ")
                throw DamagedBackup(path: path, reason: shown)
            }
            let migrator = try Storage.migrator(of: configuration)
            let history = try migrator.status(on: connection)
            if history.allSatisfy({ $0.appliedAt == nil }) {
                throw NotADatabase(path: path, isFile: true)
            }
            let difference = try migrator.schemaDifference(on: connection)
            if let problem = problem(difference, path) { throw problem }
            return try connection.tableCounts().reduce(0) { $0 &+ ($1.isOwn ? $1.rows : 0) }
        } catch let error as MigrationError {
            throw CommandError("\"\(path)\" can't be restored. \(error.description)")
        } catch let error as SQLiteError {
            if error.code.isOfBrokenFile {
                throw DamagedBackup(path: path, reason: error.message)
            }
            // Such as a table of migrations with other columns.
            if error.code == .error { throw NotADatabase(path: path, isFile: true) }
            throw error
        }
    }

    /// Throws if there is what SQLite keeps beside a database that is in use.
    static func checkIsWhole(_ path: String) throws {
        let source = FilePath.resolved(path)
        for suffix in ["-wal", "-journal"]
        where FilePath.status(source + suffix).map({ $0.st_size > 0 }) == true {
            throw CommandError(
                """
                "\(path)" is not whole without "\(path)\(suffix)": it is a database in use, or \
                copied from one. Make one file of both with `humon backup FILE --database-url \
                sqlite:\(path)`, and restore that.
                """
            )
        }
    }

    /// What keeps a database from being restored whose schema is not that of its migrations.
    private static func problem(_ difference: SchemaDifference, _ path: String) -> CommandError? {
        let changes =
            difference.missing.map { "\($0) is missing or was changed" }
            + difference.extra.map { "\($0) does not belong there" }
        guard !changes.isEmpty else { return nil }
        return CommandError(
            """
            Another program has changed the tables of "\(path)": \
            \(changes.joined(separator: "; ")). Restore an older backup.
            """
        )
    }
}
