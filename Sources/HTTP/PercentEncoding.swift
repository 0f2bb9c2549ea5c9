import Bytes

/// Percent-encoding (RFC 3986 section 2.1).
package enum PercentEncoding {
    /// Decodes a path segment.
    ///
    /// Returns nil if a `%` is not followed by two hexadecimal digits, or if the result is not
    /// UTF-8.
    package static func decodedSegment(_ bytes: Span<UInt8>) -> String? {
        guard bytes.offset(of: percent) < bytes.count else { return String(validating: bytes) }
        return decoded(bytes, isForm: false).flatMap { String(validating: $0.span) }
    }

    /// Returns a text with everything but unreserved characters encoded; O(n).
    package static func encodedText(_ text: String) -> String {
        var bytes: [UInt8] = []
        append(text, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Appends a text in which everything is encoded but unreserved characters (RFC 3986 section
    /// 2.3) and those in `others`, which are ASCII; O(n).
    package static func append(
        _ text: String,
        to bytes: inout [UInt8],
        keeping others: StaticString = ""
    ) {
        for byte in text.utf8 {
            if byte.isUnreserved || others.contains(byte) {
                bytes.append(byte)
            } else {
                bytes.append(percent)
                bytes.append(hexadecimal: byte)
            }
        }
    }

    /// Decodes a key or value of a form (WHATWG URL, section 5.1).
    ///
    /// `+` is a space, a `%` without two hexadecimal digits is literal, and invalid UTF-8 becomes
    /// U+FFFD.
    static func decodedFormText(_ bytes: Span<UInt8>) -> String {
        let isEncoded = bytes.indices.contains {
            bytes[$0] == percent || bytes[$0] == UInt8(ascii: "+")
        }
        guard isEncoded else { return String(repairing: bytes) }
        return decoded(bytes, isForm: true).map { String(repairing: $0.span) } ?? ""
    }

    /// Returns the decoded bytes; outside of forms, nil if a `%` has no two digits.
    private static func decoded(_ bytes: Span<UInt8>, isForm: Bool) -> [UInt8]? {
        var decoded: [UInt8] = []
        decoded.reserveCapacity(bytes.count)
        var index = 0
        while index < bytes.count {
            if bytes[index] == percent, let octet = octet(in: bytes, at: index) {
                decoded.append(octet)
                index += 3
                continue
            }
            if bytes[index] == percent, !isForm { return nil }
            decoded.append(isForm && bytes[index] == UInt8(ascii: "+") ? .space : bytes[index])
            index += 1
        }
        return decoded
    }

    /// Returns the byte encoded by the `%` at `index` and two hexadecimal digits; nil if those are
    /// missing.
    static func octet(in bytes: Span<UInt8>, at index: Int) -> UInt8? {
        guard index + 2 < bytes.count,
            let high = bytes[index + 1].hexValue, let low = bytes[index + 2].hexValue
        else { return nil }
        return high << 4 | low
    }

    private static let percent = UInt8(ascii: "%")
}

extension StaticString {
    fileprivate func contains(_ byte: UInt8) -> Bool {
        // A static string never moves, and the buffer stays inside the closure.
        withUTF8Buffer { unsafe $0.contains(byte) }
    }
}
