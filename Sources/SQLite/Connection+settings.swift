import CSQLite

extension Connection {
    /// Applies every setting and reads it back.
    ///
    /// SQLite ignores some settings without an error, such as a switch to WAL mode
    /// (<https://sqlite.org/pragma.html#pragma_journal_mode>).
    func apply(_ configuration: DatabaseConfiguration, _ access: Access) throws(SQLiteError) {
        // Set before the first read of the file, so that SQLite creates no WAL index.
        if access == .standalone { try set("locking_mode", to: "exclusive") }
        try set("busy_timeout", to: "\(configuration.busyTimeoutMilliseconds)")
        try handle.setFlag(SQLITE_DBCONFIG_DEFENSIVE, true)
        try set("trusted_schema", to: "0")
        try set("foreign_keys", to: "1")
        try set("temp_store", to: "2")
        try set("mmap_size", to: "0")
        try set("cache_size", to: "\(-configuration.cacheKibibytes)")
        switch access {
        case .readWrite:
            try set("journal_mode", to: "wal")
            // Not for readers, because it checks every cell of each page that they load.
            try set("cell_size_check", to: "1")
            try set("synchronous", to: configuration.synchronous.pragmaValue)
        case .queryOnly:
            try require("journal_mode", "wal")
            // Only the writer checkpoints.
            try handle.setFlag(SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)
            try set("query_only", to: "1")
        case .checkpoints:
            try require("journal_mode", "wal")
            try handle.setFlag(SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)
            try set("synchronous", to: configuration.synchronous.pragmaValue)
        case .inspect:
            try set("cell_size_check", to: "1")
            try handle.setFlag(SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)
            try set("query_only", to: "1")
        case .standalone:
            try set("journal_mode", to: "delete")
            try set("cell_size_check", to: "1")
        }
        try set("wal_autocheckpoint", to: "0")
    }

    private func set(_ pragma: StaticString, to value: String) throws(SQLiteError) {
        _ = try result(of: "PRAGMA \(pragma) = \(value)")
        try require(pragma, value)
    }

    private func require(_ pragma: StaticString, _ expected: String) throws(SQLiteError) {
        let actual = try result(of: "PRAGMA \(pragma)")
        guard actual == expected else {
            throw SQLiteError(
                code: .cannotOpen,
                message: "\(pragma) is \"\(actual)\" and can't be set to \"\(expected)\""
            )
        }
    }

    private func result(of sql: String) throws(SQLiteError) -> String {
        let statement = try Statement(sql, isPersistent: false, handle: handle)
        let result = try statement.step() ? statement.row.text(0) : ""
        while try statement.step() {}
        return result
    }
}

extension DatabaseConfiguration.Synchronous {
    fileprivate var pragmaValue: String {
        switch self {
        case .off: "0"
        case .normal: "1"
        case .full: "2"
        case .extra: "3"
        }
    }
}
