extension Setting {
    /// Where the database is, and how it is used.
    static let storage: [Setting] = [
        Setting(
            "DATABASE_URL",
            "The database: sqlite: and the path of its file, or the URL of a PostgreSQL database.",
            details: """
                A relative path starts at the working directory. A PostgreSQL URL is \
                postgres://user@host:port/database and may have libpq's parameters, such as \
                ?sslmode=verify-full. If it has a password, DATABASE_URL_FILE can name a file to \
                read it from, or PGPASSFILE a password file.
                """,
            allowed: "sqlite: and the path of a file, or postgres:// and the rest of a URL",
            hasSecret: true,
            \.databaseURL,
            text: { DatabaseURL.path(of: $0) == nil ? DatabaseURL.shown($0) : $0 },
            parse: { url in
                DatabaseURL.isPostgreSQL(url) || DatabaseURL.path(of: url) != nil ? url : nil
            }
        ),
        Setting(
            "RUN_AS",
            "The user and the group that the program changes to if it is started as root.",
            details: """
                It first gives the folder of a SQLite database and the database to them, if they \
                are root's. The container image sets it to 10001:10001.
                """,
            allowed: "none, or two numbers above 0 such as 10001:10001",
            \.runAs,
            text: { $0?.text ?? "none" },
            parse: { $0.lowercased() == "none" ? .some(nil) : ProcessUser($0).map(Optional.some) }
        ),
        .choice(
            "SQLITE_SYNCHRONOUS",
            "How durable a write is before the server acknowledges it.",
            details: """
                After a power failure, NORMAL can lose the latest writes, and OFF can damage the \
                database. It has no effect on PostgreSQL.
                """,
            \.durability
        ),
        .integer(
            "POSTGRES_READERS",
            "The number of PostgreSQL connections of each loop for reads.",
            details: """
                With two, quick reads don't wait behind a slow one. A server opens \
                (WORKERS + 1) × POSTGRES_READERS + 2 connections, and POSTGRES_READERS fewer \
                without ADMIN_PORT.
                """,
            in: 1...16,
            \.postgresqlReaders
        ),
        .integer(
            "POSTGRES_TIMEOUT_MS",
            "The longest time that a statement may take on PostgreSQL, in ms.",
            in: 1...3_600_000,
            \.postgresqlTimeoutMilliseconds
        ),
        .onOff(
            "POSTGRES_PREPARE",
            "Whether statements are prepared once for each PostgreSQL connection.",
            details: "Set it to off for pgbouncer before 1.21 in transaction mode.",
            \.preparesStatements
        ),
        .integer(
            "NODES",
            "The number of servers that use the same PostgreSQL database.",
            details: """
                Each server allows its part of every rate limit, rounded up. With more than 1, \
                they notify each other of changes.
                """,
            in: 1...1000,
            \.nodes
        ),
    ]
}
