import CSodium

/// The libsodium that this program uses.
package enum SodiumLibrary {
    /// Its version, such as `1.0.18`.
    package static var version: String { unsafe String(cString: sodium_version_string()) }
}
