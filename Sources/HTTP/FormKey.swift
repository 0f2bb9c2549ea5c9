/// A form key, which can nest one level with brackets: `user[email]`.
package struct FormKey: Sendable, Equatable {
    package let name: String
    /// The text in the brackets; nil for a plain key.
    package let subkey: String?

    /// Splits a decoded key; a key with any other use of brackets is plain.
    package init(_ key: String) {
        let bytes = key.utf8
        if let opening = bytes.firstIndex(of: UInt8(ascii: "[")), opening > bytes.startIndex,
            let closing = bytes.firstIndex(of: UInt8(ascii: "]")), opening < closing,
            bytes.index(after: closing) == bytes.endIndex,
            case let inner = bytes[bytes.index(after: opening)..<closing],
            !inner.isEmpty, !inner.contains(UInt8(ascii: "["))
        {
            name = String(key[..<opening])
            subkey = String(Substring(inner))
        } else {
            name = key
            subkey = nil
        }
    }
}
