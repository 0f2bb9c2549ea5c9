/// A secret that people keep and type: 80 random bits as 16 digits and letters.
///
/// People write it down and type it, so it has no letters that look like digits (Crockford's base
/// 32, <https://www.crockford.com/base32.html>).
package struct SecretCode: Equatable, Sendable {
    private static let symbols = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ")
    /// The letters that are read as digits.
    private static let lookalikes: [Character: Character] = ["O": "0", "I": "1", "L": "1"]
    private static let length = 16
    private static let groupLength = 4
    /// The size of the longest text that is read, in bytes.
    private static let longestText = 64
    /// The number of random bytes that it is made from.
    package static let randomBytes = 10

    /// The symbols without hyphens, whose digest is stored.
    package let secret: String

    /// Creates the code of `randomBytes` random bytes.
    package init(_ bytes: [UInt8]) {
        var bits = bytes.reduce(UInt128(0)) { $0 << 8 | UInt128($1) }
        var text: [Character] = []
        for _ in 0..<Self.length {
            text.append(Self.symbols[Int(bits & 31)])
            bits >>= 5
        }
        secret = String(text)
    }

    /// Reads a code as people type it; returns nil for other texts.
    ///
    /// Letter case, spaces and hyphens don't matter, and letters that look like digits are digits.
    package init?(_ text: String) {
        guard text.utf8.count <= Self.longestText, text.allSatisfy(\.isASCII) else { return nil }
        let typed = text.uppercased().filter { $0 != " " && $0 != "-" }
            .map { Self.lookalikes[$0] ?? $0 }
        guard typed.count == Self.length, typed.allSatisfy(Self.symbols.contains) else {
            return nil
        }
        secret = String(typed)
    }

    /// The code as people see it, such as `7F3K-9QXD-M2TB-WH5C`.
    package var text: String {
        let symbols = Array(secret)
        return stride(from: 0, to: symbols.count, by: Self.groupLength).map { start in
            String(symbols[start..<min(start + Self.groupLength, symbols.count)])
        }.joined(separator: "-")
    }
}
