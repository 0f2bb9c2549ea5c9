import CCrypto

/// The functions of libcrypto, which is loaded when they are first needed.
@safe
struct Libcrypto: Sendable {
    // Pointers are not Sendable. This one is safe for all threads: the table is filled before other
    // threads can access it, and never changes afterwards.
    nonisolated(unsafe) let functions: UnsafePointer<HumonLibcrypto>

    private static let loaded = Result { () throws(SignInLibraryError) in try Libcrypto() }

    /// Returns the library, and loads it on the first call.
    static func load() throws(SignInLibraryError) -> Libcrypto { try loaded.get() }

    private init() throws(SignInLibraryError) {
        let table = UnsafeMutablePointer<HumonLibcrypto>.allocate(capacity: 1)
        guard unsafe humon_load_libcrypto(table) else { throw SignInLibraryError() }
        unsafe functions = UnsafePointer(table)
    }
}

/// The error for a system without libcrypto 3, or without libcurl where keys have URLs.
package struct SignInLibraryError: Error {}
