// The part of swift-crypto that Receiver.swift uses, with libsodium, because the tests fetch no
// packages. An app uses swift-crypto itself, which has the same declarations.

import Foundation
import CSodium

public struct SHA256 {}

public struct SymmetricKey {
    fileprivate let bytes: [UInt8]

    public init(data: Data) {
        bytes = Array(data)
    }
}

public enum HMAC<Hash> {
    public static func isValidAuthenticationCode(
        _ code: Data,
        authenticating content: Data,
        using key: SymmetricKey
    ) -> Bool {
        var state = crypto_auth_hmacsha256_state()
        var expected = [UInt8](repeating: 0, count: 32)
        _ = crypto_auth_hmacsha256_init(&state, key.bytes, key.bytes.count)
        _ = crypto_auth_hmacsha256_update(&state, Array(content), UInt64(content.count))
        _ = crypto_auth_hmacsha256_final(&state, &expected)
        return code.count == 32 && sodium_memcmp(Array(code), expected, 32) == 0
    }
}
