import CSodium

/// Unpredictable bytes from the system's generator, through libsodium.
package enum RandomBytes {
    /// Returns `count` random bytes.
    package static func make(count: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        unsafe randombytes_buf(&bytes, count)
        return bytes
    }
}
