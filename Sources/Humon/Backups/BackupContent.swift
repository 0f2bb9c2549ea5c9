import Glibc
import SQLite

/// Checks whether the content of a backup can be restored.
enum BackupContent {
    /// Checks a database from its pages to its tables; O(size of the file).
    ///
    /// - Parameters:
    ///   - database: The database.
    ///   - access: How to open it.
    ///   - path: The path of the backup, for messages.
    ///   - configuration: The configuration, which the migrations need.
    /// - Returns: The number of records.
    /// - Throws: `DamagedBackup`, `NotADatabase`, `CommandError` for tables that Humon has not
    ///   created, and `SQLiteError` for anything that is not the file's fault.
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
            if let fault = try fault(of: connection, configuration) {
                throw fault.refusal(path)
            }
            return try connection.tableCounts().reduce(0) { $0 &+ ($1.isOwn ? $1.rows : 0) }
        } catch let error as SQLiteError {
            guard error.code.isOfBrokenFile else { throw error }
            throw DamagedBackup(path: path, reason: error.message)
        }
    }

    /// Checks that a restore would accept the tables of a new copy.
    ///
    /// The pages of the copy must have been checked before.
    ///
    /// - Parameters:
    ///   - copy: The path of the copy, which no other process uses.
    ///   - configuration: The configuration of the database that was copied.
    /// - Throws: `UnrestorableDatabase`, and `SQLiteError` for anything that is not the tables'
    ///   fault.
    static func checkTables(ofCopyAt copy: String, _ configuration: Configuration) throws {
        let connection = try Connection(DatabaseConfiguration(path: copy), .standalone)
        guard let fault = try fault(of: connection, configuration) else { return }
        throw UnrestorableDatabase(reason: fault.reason(configuration.databasePath))
    }

    /// Throws if SQLite's files of a database in use are beside the file.
    static func checkIsWhole(_ path: String) throws {
        let source = FilePath.resolved(path)
        for suffix in ["-wal", "-journal"]
        where FilePath.status(source + suffix).map({ $0.st_size > 0 }) == true {
            throw CommandError(
                """
                "\(path)" is incomplete without "\(path)\(suffix)": it is a database in use, or a \
                copy of one. Combine both with `humon backup FILE --database-url sqlite:\(path)`, \
                and restore that file.
                """
            )
        }
    }

    /// Returns why a database with sound pages can't be restored, or nil if it can be.
    private static func fault(
        of connection: Connection,
        _ configuration: Configuration
    ) throws -> TableFault? {
        do {
            let migrator = try Databases.migrator(of: configuration)
            let history = try migrator.status(on: connection)
            if history.allSatisfy({ $0.appliedAt == nil }) { return .notHumons }
            let difference = try migrator.schemaDifference(on: connection)
            let changes =
                difference.missing.map { "\($0) is missing or was changed" }
                + difference.extra.map { "\($0) does not belong there" }
            return changes.isEmpty ? nil : .changed(changes.joined(separator: "; "))
        } catch let error as MigrationError {
            return .otherHistory(error)
        } catch let error as SQLiteError where error.code == .error {
            // For example, the table of migrations has other columns.
            return .notHumons
        }
    }
}

/// The reason that a database with sound pages can't be restored.
private enum TableFault {
    /// No migration of Humon was applied.
    case notHumons
    /// Its migrations are not those of this program.
    case otherHistory(MigrationError)
    /// Its tables differ from its migrations; the text says how, without a full stop.
    case changed(String)

    /// Returns the error that rejects the backup at `path`.
    func refusal(_ path: String) -> any Error {
        switch self {
        case .notHumons: NotADatabase(path: path, isFile: true)
        case .otherHistory(let error):
            CommandError("\"\(path)\" can't be restored. \(error.description)")
        case .changed(let changes):
            CommandError(
                """
                Another program has changed the tables of "\(path)": \(changes). Restore an older \
                backup.
                """
            )
        }
    }

    /// Returns why the database at `path` is not backed up, and what to do, as sentences.
    func reason(_ path: String) -> String {
        switch self {
        case .notHumons:
            """
            Humon's migrations were never applied to "\(path)". Run `humon migrate`, or restore \
            an earlier backup with `humon restore FILE`.
            """
        case .otherHistory(let error): error.description
        case .changed(let changes):
            """
            Another program has changed the tables of "\(path)": \(changes). Undo that, or \
            restore an earlier backup with `humon restore FILE`.
            """
        }
    }
}

/// A database that is not backed up, because a restore would reject the backup.
struct UnrestorableDatabase: Error {
    /// Why, and what to do, as sentences.
    let reason: String
}
