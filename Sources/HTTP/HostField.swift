/// The grammar of a `Host` field: `uri-host [ ":" port ]` (RFC 9110 section 7.2).
enum HostField {
    /// Returns whether the bytes are a non-empty host with an optional port.
    static func isValid(_ bytes: Span<UInt8>) -> Bool {
        guard let end = endOfHost(in: bytes), end > 0 else { return false }
        guard end < bytes.count else { return true }
        guard bytes[end] == UInt8(ascii: ":") else { return false }
        for index in end + 1..<bytes.count where !bytes[index].isDigit { return false }
        return true
    }

    /// Returns the offset after the name or the bracketed address; nil if it is malformed.
    private static func endOfHost(in bytes: Span<UInt8>) -> Int? {
        guard bytes.count > 0, bytes[0] == UInt8(ascii: "[") else {
            return endOfName(in: bytes)
        }
        let end = bytes.offset(of: UInt8(ascii: "]"))
        guard end > 1, end < bytes.count else { return nil }
        for index in 1..<end where !bytes[index].isInAddress { return nil }
        return end + 1
    }

    private static func endOfName(in bytes: Span<UInt8>) -> Int? {
        var index = 0
        while index < bytes.count, bytes[index] != UInt8(ascii: ":") {
            if bytes[index] == UInt8(ascii: "%") {
                guard PercentEncoding.octet(in: bytes, at: index) != nil else { return nil }
            } else if !bytes[index].isInName {
                return nil
            }
            index += 1
        }
        return index
    }
}

extension UInt8 {
    /// Whether this is an unreserved character or a sub-delimiter (RFC 3986 section 2).
    ///
    /// Compared with tokens, these lack `#^|` and the back-quote, and have `()=,;` in addition.
    fileprivate var isInName: Bool {
        switch self {
        case UInt8(ascii: "#"), UInt8(ascii: "^"), UInt8(ascii: "`"), UInt8(ascii: "|"),
            UInt8(ascii: "%"):
            false
        case UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: "="), UInt8(ascii: ","),
            UInt8(ascii: ";"):
            true
        default: isToken
        }
    }

    /// Whether an IPv6 or future address can contain this byte.
    fileprivate var isInAddress: Bool {
        isInName || self == UInt8(ascii: ":")
    }
}
