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
            if let fault = try fault(of: connection, configuration) {
                throw fault.refusal(path)
            }
            return try connection.tableCounts().reduce(0) { $0 &+ ($1.isOwn ? $1.rows : 0) }
        } catch let error as SQLiteError {
            guard error.code.isOfBrokenFile else { throw error }
            throw DamagedBackup(path: path, reason: error.message)
        }
    }

    /// Checks that a restore would accept the tables of a copy that was just made and whose pages
    /// are sound.
    ///
    /// - Parameters:
    ///   - copy: The copy, which is nobody else's.
    ///   - configuration: The configuration of the database that was copied.
    /// - Throws: `UnrestorableDatabase`, and `SQLiteError` for what is not the tables' fault.
    static func checkTables(ofCopyAt copy: String, _ configuration: Configuration) throws {
        let connection = try Connection(DatabaseConfiguration(path: copy), .standalone)
        guard let fault = try fault(of: connection, configuration) else { return }
        throw UnrestorableDatabase(reason: fault.reason(configuration.databasePath))
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

    /// Why a database can't be restored although its pages are sound; nil if it can be.
    private static func fault(
        of connection: Connection,
        _ configuration: Configuration
    ) throws -> TableFault? {
        do {
            let migrator = try Storage.migrator(of: configuration)
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
            // Such as a table of migrations with other columns.
            return .notHumons
        }
    }
}

/// What keeps a database whose pages are sound from being restored.
private enum TableFault {
    /// No migration of Humon was applied.
    case notHumons
    /// Its migrations are not this program's.
    case otherHistory(MigrationError)
    /// Its tables are not those that its migrations have made; how they differ, without a full
    /// stop.
    case changed(String)

    /// Why the backup at a path is refused.
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

    /// Why no backup is made of the database at a path, and what to do, as sentences.
    func reason(_ path: String) -> String {
        switch self {
        case .notHumons:
            """
            None of Humon's migrations was applied to "\(path)". Run `humon migrate`, or `humon \
            restore FILE` with an earlier backup.
            """
        case .otherHistory(let error): error.description
        case .changed(let changes):
            """
            Another program has changed the tables of "\(path)": \(changes). Undo that, or run \
            `humon restore FILE` with an earlier backup.
            """
        }
    }
}

/// A database of which no backup is made, because a restore would refuse it.
struct UnrestorableDatabase: Error {
    /// Why, and what to do, as sentences.
    let reason: String
}
