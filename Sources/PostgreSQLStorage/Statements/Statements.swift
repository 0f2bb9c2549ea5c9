import SharedStorage
import PostgreSQL
package import System

/// All SQL of the stores, so that tests can check every statement.
///
/// Each function of a store is a fixed list of statements that contain their own conditions, so no
/// transaction waits for an intermediate result. Statements never call `now()`: times, like all
/// decisions, come from this program.
package enum Statements {
    /// Every statement.
    package static let all: [SQL] =
        ofThisStorage + ModerationStatements.all + AdminStatements.all + ResponseStatements.all
        + ChangeStatements.all + WebhookStatements.all + EventFactStatements.all
        + AdminSignInStatements.all + SignInStatements.all + AccountStatements.all
        + TodoTaskStatements.all + SharedTaskStatements.all + CheckinStatements.all
        + InstallationStatements.all + AttendanceStatements.all + InvitationStatements.all
        + TransferStatements.all

    /// The statements that only this storage has.
    package static let ofThisStorage: [SQL] =
        UserStatements.all + EventStatements.all + ImportStatements.all
        + SequenceStatements.all + StorageStatements.all
        + MoveControlStatements.all + LogStatements.all

    /// The statements of moves that are made for each table.
    package static let ofTables: [SQL] = MoveStatements.all

    /// The statements of `humon doctor`, which need PostgreSQL itself.
    package static let ofDoctor: [SQL] = DoctorStatements.all

    /// The statements about the triggers of the log of changes, which need PostgreSQL itself.
    package static let ofChangeLog: [SQL] = LogTriggerStatements.all
}

/// The statements about the storage itself.
enum StorageStatements {
    /// Writes a row without changing it.
    static let touch: SQL = """
        UPDATE schema_migrations SET applied_at = applied_at
        WHERE name = (SELECT min(name) FROM schema_migrations)
        """

    /// Returns the engine and its version.
    static let version: SQL = "SELECT version()"

    /// The longest time of a statement of a ban or of a deletion, in s.
    static let transactionSeconds: Int64 = 60
    /// Sets this time.
    static let limitTransaction = SQL(
        made: "SET LOCAL statement_timeout = '\(transactionSeconds)s'"
    )

    static let begin: SQL = "BEGIN"
    /// Begins a transaction that sees what is committed when its first statement runs.
    static let beginSnapshot: SQL = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
    static let savepoint: SQL = "SAVEPOINT records"
    static let rollbackToSavepoint: SQL = "ROLLBACK TO SAVEPOINT records"
    static let releaseSavepoint: SQL = "RELEASE SAVEPOINT records"

    static let all = [
        touch, version, limitTransaction, begin, beginSnapshot, savepoint,
        rollbackToSavepoint,
        releaseSavepoint,
    ]
}

/// The statements of this storage that are literals.
typealias StaticString = SQL
