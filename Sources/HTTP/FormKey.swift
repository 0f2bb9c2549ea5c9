/// A key of a form, which nests one level with brackets: `user[email]`.
package struct FormKey: Sendable, Equatable {
    package let name: String
    /// What stands in the brackets; nil for a plain key.
    package let subkey: String?

    /// Splits a decoded key; one with any other use of brackets is a plain key as it stands.
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
