import CSQLite

/// The C library as a whole.
package enum Library {
    /// The version that runs, such as `3.40.1`.
    package static var version: String { unsafe String(cString: sqlite3_libversion()) }

    /// Sets what holds for the whole process; has to be read before anything else of the library is
    /// used, which ignores it otherwise.
    ///
    /// Without its statistics SQLite's allocator needs no lock that all threads share. Where they
    /// cannot be disabled, it costs some speed and nothing more.
    static let isConfigured = humon_sqlite3_disable_memory_statistics() == SQLITE_OK
}
