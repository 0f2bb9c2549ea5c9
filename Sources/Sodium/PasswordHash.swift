import CSodium
import Glibc

/// Hashes of passwords by argon2id (RFC 9106), as texts that carry their own parameters.
///
/// To make or to check one takes some 20 ms of a core and 19 MiB.
enum PasswordHash {
    /// Bytes of a password that count; the rest is ignored.
    private static let maximumBytes = 1024
    /// Passes over the memory.
    private static let passes: UInt64 = 2
    private static let memoryBytes = 19 * 1024 * 1024
    /// A hash of the strength of all others, of a password that nobody knows.
    private static let unmatched =
        "$argon2id$v=19$m=19456,t=2,p=1"
        + "$+sklj/0TI7VdSSk9C6qBJw$suMjF08/cTw/Xd2J9mj3+Rv/cqJ3G6TluA3JyvV9p0Q"

    /// Prepares the library, which finds out what the processor is best at; false if it can't.
    ///
    /// To be called before anything else here; any number of calls does no harm.
    static func prepare() -> Bool {
        sodium_init() >= 0
    }

    /// A hash of the password with a new salt; nil if there is no memory for it.
    static func make(_ password: String) -> String? {
        var hash = [CChar](repeating: 0, count: Int(crypto_pwhash_STRBYTES))
        let bytes = bytes(of: password)
        let code = unsafe crypto_pwhash_str_alg(
            &hash,
            bytes,
            UInt64(bytes.count),
            passes,
            memoryBytes,
            crypto_pwhash_ALG_ARGON2ID13
        )
        guard code == 0 else { return nil }
        return String(decoding: hash.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// Whether the hash is of this password; without a hash false, after the same work; nil if
    /// there is no memory for it.
    static func matches(_ password: String, hash: String?) -> Bool? {
        let bytes = bytes(of: password)
        errno = 0
        let code = unsafe crypto_pwhash_str_verify(hash ?? unmatched, bytes, UInt64(bytes.count))
        if code != 0, errno == ENOMEM { return nil }
        return code == 0 && hash != nil
    }

    /// Whether the hash was made with other parameters than today's.
    static func isOutdated(_ hash: String) -> Bool {
        unsafe crypto_pwhash_str_needs_rehash(hash, passes, memoryBytes) != 0
    }

    private static func bytes(of password: String) -> [CChar] {
        password.utf8.prefix(maximumBytes).map(CChar.init(bitPattern:))
    }
}
