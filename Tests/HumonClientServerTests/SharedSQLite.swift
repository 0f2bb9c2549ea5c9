@testable import SQLite

/// The SQLite of this process, which other tests use as the server does.
enum SharedSQLite {
    /// Whether the library has the server's configuration, which must come before its first use.
    static var isConfigured: Bool { Library.isConfigured }
}
