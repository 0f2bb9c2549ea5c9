import Glibc
package import Model
import Rules
import SQLite
import System

extension SQLiteEngine: DatabaseFiles {
    package var path: String { file.path }

    package var suffixes: DatabaseSuffixes {
        DatabaseSuffixes(
            changes: [FileSuffix.wal, FileSuffix.journal],
            lock: FileSuffix.lock,
            others: [FileSuffix.index]
        )
    }

    package var headerBytes: Int { DatabaseHeader.byteCount }

    package func layout(ofHeader bytes: [UInt8]) -> DatabaseLayout? {
        DatabaseHeader(bytes).map { header in
            DatabaseLayout(byteCount: header.databaseBytes, wasOpened: header.isInWALMode)
        }
    }

    package func checkLink(_ path: String) throws { try DatabaseFile.checkLink(path) }

    package func checkOwner(of path: String) throws { try file(at: path).checkOwner() }

    package func isInUse(_ path: String) -> Bool { file(at: path).isInUse }

    package func hasHistory(_ path: String) throws -> Bool {
        do {
            return try hasApplicableHistory(path)
        } catch is MigrationError {
            // The migrations of a newer version, or another history.
            return true
        } catch {
            // Damaged or not, an unreadable database has no history of Humon's.
            return false
        }
    }

    package func canUse(_ path: String) -> Bool { (try? hasApplicableHistory(path)) == true }

    /// Returns whether migrations were applied; throws unless this program knows them all.
    private func hasApplicableHistory(_ path: String) throws -> Bool {
        let connection = try Connection(file(at: path), .inspect)
        return try migrator.status(on: connection).contains { $0.appliedAt != nil }
    }

    package func verify(_ path: String, as name: String, isReplacement: Bool) throws -> Int64 {
        do {
            let connection = try Connection(file(at: path), isReplacement ? .readWrite : .inspect)
            let faults = try connection.faults(.full)
            guard faults.isEmpty else {
                let shown = faults.prefix(3).joined(separator: "; ")
                throw DamagedBackup(path: name, reason: shown)
            }
            if let fault = try fault(of: connection) { throw fault.refusal(name) }
            if isReplacement { try SQLiteLog(connection).renew() }
            return try connection.tableCounts().reduce(0) { $0 &+ ($1.isOwn ? $1.rows : 0) }
        } catch let error as SQLiteError {
            guard error.code.isOfBrokenFile else { throw error }
            throw DamagedBackup(path: name, reason: error.message)
        }
    }

    package func beginReplacement() throws -> any DatabaseFileReplacement {
        try DatabaseReplacement(file)
    }

    /// Checks that a restore would accept the tables of a new copy.
    ///
    /// The pages of the copy must have been checked before.
    ///
    /// - Parameter copy: The path of the copy, which no other process uses.
    /// - Throws: `UnrestorableDatabase`, and `SQLiteError` for anything that is not the tables'
    ///   fault.
    func checkTables(ofCopyAt copy: String) throws {
        let connection = try Connection(DatabaseConfiguration(path: copy), .standalone)
        guard let fault = try fault(of: connection) else { return }
        throw UnrestorableDatabase(fault.reason(file.path))
    }

    /// Returns the configuration for another file.
    private func file(at path: String) -> DatabaseConfiguration {
        var other = file
        other.path = path
        return other
    }

    /// Returns why a database with sound pages can't be restored, or nil if it can be.
    private func fault(of connection: Connection) throws -> TableFault? {
        do {
            let history = try migrator.status(on: connection)
            if history.allSatisfy({ $0.appliedAt == nil }) { return .notHumons }
            if try SQLiteMoves.isClosed(on: connection) { return .closed }
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
    /// It rejects writes, because its records are being moved or were moved.
    case closed
    /// Its tables differ from its migrations; the text says how, without a full stop.
    case changed(String)

    /// Returns the error that rejects the backup at `path`.
    func refusal(_ path: String) -> any Error {
        switch self {
        case .notHumons: NotADatabase(path: path, isFile: true)
        case .otherHistory(let error):
            OperatorError("\"\(path)\" can't be restored. \(error.description)")
        case .closed:
            OperatorError(
                """
                "\(path)" rejects writes, because its records were moved to another database. Run \
                `humon move --reopen --database-url sqlite:\(path)` to use it again.
                """
            )
        case .changed(let changes):
            OperatorError(
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
        case .closed:
            """
            "\(path)" rejects writes, because its records are being moved or were moved. Back up \
            the other database, or run `humon move --reopen`.
            """
        case .changed(let changes):
            """
            Another program has changed the tables of "\(path)": \(changes). Undo that, or \
            restore an earlier backup with `humon restore FILE`.
            """
        }
    }
}

extension DatabaseReplacement: DatabaseFileReplacement {}

extension DatabaseInUse: ExplainedError {
    package var explanation: String {
        isByThisProgram
            ? """
            The database "\(path)" is open in a server or another command of Humon. Stop it first \
            (`systemctl stop humon.socket humon.service`), then restore again.
            """
            : """
            The database "\(path)" is open in another program. Find it with `fuser -v \(path)` \
            and stop it, then restore again.
            """
    }
}
