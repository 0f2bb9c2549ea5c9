import CPostgreSQL

/// The functions of libpq, which is loaded when they are first needed.
@safe
struct Libpq: Sendable {
    // Pointers are not Sendable. This one is safe for all threads: the table is filled before other
    // threads can access it, and never changes afterwards.
    nonisolated(unsafe) let functions: UnsafePointer<HumonLibPQ>

    /// The oldest version that has pipeline mode.
    private static let oldestVersion: Int32 = 140_000

    private static let loaded = Result { () throws(LibraryError) in try Libpq() }

    /// Returns the library, and loads it on the first call.
    static func load() throws(LibraryError) -> Libpq { try loaded.get() }

    private init() throws(LibraryError) {
        let table = UnsafeMutablePointer<HumonLibPQ>.allocate(capacity: 1)
        // The process needs it to its end, and a failure is found once.
        if let missing = unsafe humon_load_libpq(table) {
            throw LibraryError(missing: unsafe String(cString: missing))
        }
        guard unsafe table.pointee.PQlibVersion() >= Self.oldestVersion else {
            throw LibraryError(missing: "version 14 of libpq")
        }
        unsafe functions = UnsafePointer(table)
    }
}

/// The error for a system without the library of PostgreSQL, or with one that is too old.
package struct LibraryError: Error, Equatable, CustomStringConvertible {
    let missing: String

    package var description: String {
        """
        Install libpq5 to use PostgreSQL: \(missing) was not found. Outside Debian and Ubuntu, the \
        package is called libpq; it must be version 14 or later.
        """
    }
}
