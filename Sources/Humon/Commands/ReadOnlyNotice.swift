import Model
import Settings

/// The notice that records were read from a database that may be behind another.
enum ReadOnlyNotice {
    /// Writes it to standard error, if the database of PostgreSQL accepts no writes.
    static func show(of engine: any StorageEngine, _ configuration: Configuration) {
        guard configuration.postgresqlURL != nil, engine.isReadOnly else { return }
        Terminal.error.write(
            "The database accepts no writes. If it is a standby, it can lack the latest changes.\n"
        )
    }
}
