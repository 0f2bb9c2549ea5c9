/// A validator for the extensions of a chunk, byte by byte (RFC 9112 section 7.1.1).
///
/// The grammar is `*( BWS ";" BWS name [ BWS "=" BWS ( token / quoted-string ) ] )`.
struct ChunkExtensionScanner: Sendable {
    private enum Stage {
        /// After the size, the name, the token or the quoted string; the line can end here.
        case size, name, token, quotedEnd
        /// After white space that a separator must follow.
        case blankAfterName, blankAfterValue
        /// After a `;` or `=` that a name or value must follow.
        case semicolon, equals
        /// Inside a quoted string, and there after a backslash.
        case quoted, quotedPair
    }

    private var stage = Stage.size

    /// Whether the extensions can end here.
    var canEnd: Bool {
        switch stage {
        case .size, .name, .token, .quotedEnd: true
        default: false
        }
    }

    /// Consumes a byte; returns false if the grammar doesn't allow it here.
    mutating func accepts(_ byte: UInt8) -> Bool {
        guard let next = next(byte) else { return false }
        stage = next
        return true
    }

    private func next(_ byte: UInt8) -> Stage? {
        switch stage {
        case .size, .quotedEnd, .blankAfterValue:
            separator(byte, .blankAfterValue)
        case .token:
            byte.isToken ? .token : separator(byte, .blankAfterValue)
        case .name where byte.isToken:
            .name
        case .name, .blankAfterName:
            byte == UInt8(ascii: "=") ? .equals : separator(byte, .blankAfterName)
        case .semicolon:
            byte.isBlank ? .semicolon : byte.isToken ? .name : nil
        case .equals:
            value(byte)
        case .quoted:
            quoted(byte)
        case .quotedPair:
            byte.isFieldContent ? .quoted : nil
        }
    }

    private func separator(_ byte: UInt8, _ blank: Stage) -> Stage? {
        byte == UInt8(ascii: ";") ? .semicolon : byte.isBlank ? blank : nil
    }

    private func value(_ byte: UInt8) -> Stage? {
        if byte.isBlank { return .equals }
        if byte == UInt8(ascii: "\"") { return .quoted }
        return byte.isToken ? .token : nil
    }

    private func quoted(_ byte: UInt8) -> Stage? {
        switch byte {
        case UInt8(ascii: "\""): .quotedEnd
        case UInt8(ascii: "\\"): .quotedPair
        default: byte.isFieldContent ? .quoted : nil
        }
    }
}
