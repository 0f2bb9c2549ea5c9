import CSodium
import Glibc

/// Password hashes with argon2id (RFC 9106), as texts that contain their parameters.
///
/// Creating or checking a hash takes about 20 ms of a core and 19 MiB.
enum PasswordHash {
    /// The number of bytes of a password that are used; the rest is ignored.
    private static let maximumBytes = 1024
    /// The number of passes over the memory.
    private static let passes: UInt64 = 2
    private static let memoryBytes = 19 * 1024 * 1024
    /// A hash of normal strength for a password that nobody knows.
    private static let unmatched =
        "$argon2id$v=19$m=19456,t=2,p=1"
        + "$+sklj/0TI7VdSSk9C6qBJw$suMjF08/cTw/Xd2J9mj3+Rv/cqJ3G6TluA3JyvV9p0Q"

    /// Initialises libsodium, which detects the processor's features; returns false on failure.
    ///
    /// Call it before anything else here. Repeated calls are harmless.
    static func prepare() -> Bool {
        sodium_init() >= 0
    }

    /// Returns a hash of the password with a new salt, or nil if there is not enough memory.
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

    /// Returns whether the hash is of this password, or nil if there is not enough memory.
    ///
    /// Without a valid hash, it returns false after the same work. A weak hash takes less work, so
    /// a second check is added when the password is wrong.
    static func matches(_ password: String, hash: String?) -> Bool? {
        let hash = hash.flatMap { parameters(of: $0) == nil ? nil : $0 }
        let isRight = verify(password, hash ?? unmatched)
        if isRight == false, let hash, isWeak(hash) { return verify(password, unmatched) }
        return hash == nil ? isRight.map { _ in false } : isRight
    }

    /// Returns whether the hash was made with weaker parameters than today's, or is malformed.
    static func isWeak(_ hash: String) -> Bool {
        guard let parameters = parameters(of: hash) else { return true }
        return parameters.kibibytes < memoryBytes / 1024 || parameters.passes < passes
    }

    private static func verify(_ password: String, _ hash: String) -> Bool? {
        let bytes = bytes(of: password)
        errno = 0
        let code = unsafe crypto_pwhash_str_verify(hash, bytes, UInt64(bytes.count))
        if code != 0, errno == ENOMEM { return nil }
        return code == 0
    }

    /// Returns the parameters in `$argon2id$v=19$m=19456,t=2,p=1$salt$hash`; nil for other texts.
    private static func parameters(of hash: String) -> (kibibytes: Int, passes: UInt64)? {
        let parts = hash.split(separator: "$", omittingEmptySubsequences: false)
        guard parts.count == 6, parts[0].isEmpty, parts[1] == "argon2id" else { return nil }
        let values = parts[3].split(separator: ",")
        guard values.count == 3, values[0].hasPrefix("m="), values[1].hasPrefix("t="),
            let kibibytes = Int(values[0].dropFirst(2)),
            let passes = UInt64(values[1].dropFirst(2))
        else { return nil }
        return (kibibytes, passes)
    }

    private static func bytes(of password: String) -> [CChar] {
        password.utf8.prefix(maximumBytes).map(CChar.init(bitPattern:))
    }
}
