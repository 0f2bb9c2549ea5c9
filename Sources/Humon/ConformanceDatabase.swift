import Formats
import Model
import PostgreSQLStorage
import Settings
import SQLiteStorage

/// Databases without records, one after another, that `humon conform` examines.
struct ConformanceDatabase {
    /// The engine and its version.
    let version: String
    /// Where the databases are, for messages.
    let place: String
    /// Opens a new database; the caller closes it before the next one.
    let open: () throws -> any Storage
    /// Deletes everything.
    let remove: () throws -> Void

    /// Prepares databases on the engine of a configuration, but elsewhere than its database.
    init(_ configuration: Configuration) throws {
        if let url = configuration.postgresqlURL {
            let database = try TemporaryPostgreSQLDatabase(
                Databases.options(at: url, configuration),
                prefix: "humon_conform"
            )
            version = database.version
            place = database.name
            open = { try database.openEmpty() }
            remove = { try database.remove() }
            return
        }
        let folder = try ScratchFolder()
        let options = SQLiteEngine.Options(
            path: folder.path + "/humon.sqlite3",
            durability: .off,
            migrations: Databases.migrations(EmbeddedSQLiteMigrations.all),
            representation: .json
        )
        version = try SQLiteEngine(options).facts(isFull: false).engineVersion
        place = folder.path
        open = {
            folder.removeFiles()
            return try SQLiteEngine(options).open(for: .administration) { _ in }
        }
        remove = { folder.remove() }
    }
}
