import CSodium

/// HMAC-SHA256 (RFC 2104) with libsodium.
package enum HMACSHA256 {
    /// Returns the 32 bytes of the code of a message; O(n).
    package static func code(of message: [UInt8], key: [UInt8]) -> [UInt8] {
        var state = crypto_auth_hmacsha256_state()
        var code = [UInt8](repeating: 0, count: Int(crypto_auth_hmacsha256_BYTES))
        _ = unsafe crypto_auth_hmacsha256_init(&state, key, key.count)
        _ = unsafe crypto_auth_hmacsha256_update(&state, message, UInt64(message.count))
        _ = unsafe crypto_auth_hmacsha256_final(&state, &code)
        return code
    }
}
