import CSQLite

/// The SQLite library.
package enum Library {
    /// The version of the library that is loaded, such as `3.40.1`.
    package static var version: String { unsafe String(cString: sqlite3_libversion()) }

    /// Configures the library; must be read before any other use, because later calls have no
    /// effect.
    ///
    /// Without memory statistics, SQLite's allocator needs no lock that all threads share. If
    /// disabling them fails, only speed suffers.
    static let isConfigured = humon_sqlite3_disable_memory_statistics() == SQLITE_OK
}
