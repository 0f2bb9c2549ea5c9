/// All SQL of the stores, so that tests can check every statement.
///
/// Each function of a store is a fixed list of statements that contain their own conditions, so no
/// transaction waits for an intermediate result. Statements never call `now()`: times, like all
/// decisions, come from this program.
package enum Statements {
    /// Every statement.
    package static let all: [StaticString] =
        UserStatements.all + EventStatements.all + AttendanceStatements.all
        + AccountStatements.all + TodoTaskStatements.all + SharedTaskStatements.all
        + CheckinStatements.all + InstallationStatements.all + ImportStatements.all
        + ExportStatements.all + SequenceStatements.all + StorageStatements.all
        + MoveStatements.all + LogStatements.all

    /// The statements of `humon doctor`, which need PostgreSQL itself.
    package static let ofDoctor = DoctorStatements.all

    /// The statements about the triggers of the log of changes, which need PostgreSQL itself.
    package static let ofChangeLog = LogTriggerStatements.all
}

/// The statements about the storage itself.
enum StorageStatements {
    /// Writes a row without changing it.
    static let touch: StaticString = """
        UPDATE schema_migrations SET applied_at = applied_at
        WHERE name = (SELECT min(name) FROM schema_migrations)
        """

    /// Returns the engine and its version.
    static let version: StaticString = "SELECT version()"

    static let begin: StaticString = "BEGIN"
    /// Begins a transaction that sees what is committed when its first statement runs.
    static let beginSnapshot: StaticString = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
    static let savepoint: StaticString = "SAVEPOINT records"
    static let rollbackToSavepoint: StaticString = "ROLLBACK TO SAVEPOINT records"
    static let releaseSavepoint: StaticString = "RELEASE SAVEPOINT records"

    static let all = [
        touch, version, begin, beginSnapshot, savepoint, rollbackToSavepoint, releaseSavepoint,
    ]
}
