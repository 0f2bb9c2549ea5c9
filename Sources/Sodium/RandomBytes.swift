import CSodium

/// Bytes that nobody can predict, from the system's generator by way of libsodium.
package enum RandomBytes {
    /// `count` random bytes.
    package static func make(count: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        unsafe randombytes_buf(&bytes, count)
        return bytes
    }
}
