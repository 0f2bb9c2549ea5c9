import CCrypto
import HTTP
import JSON

/// A key of an issuer that verifies signatures.
@safe
final class PublicKey: Sendable {
    /// The algorithm of signatures, which follows from the key and never from a token.
    enum Algorithm: String, Sendable {
        case rs256 = "RS256"
        case es256 = "ES256"
    }

    let algorithm: Algorithm
    /// The size in bits.
    let bits: Int
    private let library: Libcrypto
    // Pointers are not Sendable. This one is safe for all threads: the key never changes, and
    // libcrypto counts its users with a lock (EVP_PKEY_up_ref(3)).
    nonisolated(unsafe) private let key: OpaquePointer

    /// Creates the key of a JSON Web Key (RFC 7517); throws why it can't be used.
    init(_ jwk: JSONObject, _ library: Libcrypto) throws(KeyError) {
        let (kind, bits, der) = try Self.encode(jwk)
        if let use = jwk["use"], use != .string("sig") { throw KeyError("its use is not sig") }
        if let operations = jwk["key_ops"] {
            guard case .array(let names) = operations, names.contains(.string("verify")) else {
                throw KeyError("its key_ops don't have verify")
            }
        }
        if let name = jwk["alg"], name != .string(kind.rawValue) {
            throw KeyError("its alg is not \(kind.rawValue)")
        }
        algorithm = kind
        self.bits = bits
        self.library = library
        let key = unsafe der.withUnsafeBufferPointer { buffer -> OpaquePointer? in
            var start = buffer.baseAddress
            // Bytes never remain, because `encode` is exact.
            return unsafe library.functions.pointee.d2i_PUBKEY(nil, &start, buffer.count)
        }
        guard let key = unsafe key else {
            unsafe library.functions.pointee.ERR_clear_error()
            throw KeyError("libcrypto rejects it, for example because its point is off the curve")
        }
        unsafe self.key = key
    }

    deinit { unsafe library.functions.pointee.EVP_PKEY_free(key) }

    /// Returns whether the signature of the text was made with this key; about 50 to 150 µs.
    func verifies(_ signature: [UInt8], of text: [UInt8]) -> Bool {
        guard algorithm == .rs256 || signature.count == 64 else { return false }
        let signature = algorithm == .rs256 ? signature : DER.signature(signature)
        let functions = unsafe library.functions.pointee
        guard let context = unsafe functions.EVP_MD_CTX_new() else { return false }
        defer {
            unsafe functions.EVP_MD_CTX_free(context)
            functions.ERR_clear_error()
        }
        let digest = unsafe functions.EVP_sha256()
        guard unsafe functions.EVP_DigestVerifyInit(context, nil, digest, nil, key) == 1 else {
            return false
        }
        // A malformed signature is -1, which is true in C.
        return unsafe functions.EVP_DigestVerify(
            context,
            signature,
            signature.count,
            text,
            text.count
        ) == 1
    }

    /// Returns algorithm, bits and SubjectPublicKeyInfo of a key of an allowed type and size.
    private static func encode(_ jwk: JSONObject) throws(KeyError) -> (Algorithm, Int, [UInt8]) {
        switch jwk["kty"] {
        case .string("RSA"):
            let modulus = try number("n", jwk).drop { $0 == 0 }
            let exponent = try number("e", jwk).drop { $0 == 0 }
            let bits = modulus.count * 8 - (modulus.first?.leadingZeroBitCount ?? 0)
            guard 2048...4096 ~= bits, modulus.last.map({ $0 & 1 }) == 1 else {
                throw KeyError("it has \(bits) bits; RSA keys must have 2048 to 4096")
            }
            guard exponent.count <= 4, exponent.last.map({ $0 & 1 }) == 1, exponent != [1] else {
                throw KeyError("its exponent must be odd, from 3 to 4294967295")
            }
            return (.rs256, bits, DER.rsaKey(modulus: Array(modulus), exponent: Array(exponent)))
        case .string("EC"):
            guard jwk["crv"] == .string("P-256") else {
                throw KeyError("its curve is not P-256")
            }
            let (x, y) = (try number("x", jwk), try number("y", jwk))
            guard x.count == 32, y.count == 32 else {
                throw KeyError("its x and y must have 32 bytes")
            }
            return (.es256, 256, DER.p256Key(x: x, y: y))
        default: throw KeyError("its type is neither RSA nor EC")
        }
    }

    private static func number(_ name: String, _ jwk: JSONObject) throws(KeyError) -> [UInt8] {
        guard case .string(let text) = jwk[name], let bytes = Base64.decode(text.utf8, .url)
        else { throw KeyError("its \(name) is missing or malformed") }
        return bytes
    }
}

/// The reason why a key or a set of keys can't be used, as a clause for the operator.
package struct KeyError: Error, Equatable {
    package let reason: String

    init(_ reason: String) {
        self.reason = reason
    }
}
