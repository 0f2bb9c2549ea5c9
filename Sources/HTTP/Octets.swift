extension UInt8 {
    static let tab: UInt8 = 0x09
    static let lineFeed: UInt8 = 0x0A
    static let carriageReturn: UInt8 = 0x0D
    static let space: UInt8 = 0x20

    /// Whether this is a `tchar` of RFC 9110 section 5.6.2, the characters of methods and field
    /// names.
    var isToken: Bool {
        // The mask has a bit for each ASCII character below 64, or from 64 on.
        let mask: UInt64 = self < 64 ? 0x03FF_6CFA_0000_0000 : 0x57FF_FFFF_C7FF_FFFE
        return self < 128 && (mask &>> UInt64(self)) & 1 != 0
    }

    /// Whether a field value can contain this byte: all but control characters, and the tab.
    var isFieldContent: Bool {
        self >= 0x20 ? self != 0x7F : self == .tab
    }

    /// Whether this byte is printable ASCII other than the space.
    var isVisible: Bool {
        self > 0x20 && self < 0x7F
    }

    /// Whether this byte is optional white space (RFC 9110 section 5.6.3).
    var isBlank: Bool {
        self == .space || self == .tab
    }

    /// Whether this is a letter, a digit or one of `-._~` (RFC 3986 section 2.3).
    package var isUnreserved: Bool {
        switch self {
        case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"): true
        default: isDigit || lowercased &- 0x61 < 26
        }
    }

    /// Whether this byte is an ASCII digit.
    package var isDigit: Bool {
        self &- 0x30 < 10
    }

    /// The lower-case form of an ASCII letter; any other byte is itself.
    var lowercased: UInt8 {
        self &- 0x41 < 26 ? self | 0x20 : self
    }

    /// The upper-case form of an ASCII letter; any other byte is itself.
    var uppercased: UInt8 {
        self &- 0x61 < 26 ? self & ~0x20 : self
    }

    /// The value of a hexadecimal digit; nil for any other byte.
    var hexValue: UInt8? {
        if isDigit { return self &- 0x30 }
        let letter = lowercased &- 0x61
        return letter < 6 ? letter &+ 10 : nil
    }
}
