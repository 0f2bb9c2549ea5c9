/// The header `Authorization` (RFC 9110, section 11.6.2).
package enum Authorization {
    /// The maximum length of the header's value in bytes; longer values are rejected.
    private static let maximumBytes = 1024

    /// Returns the token of Bearer or the password of Basic, or nil if the value has neither.
    ///
    /// Bearer is RFC 6750, section 2.1, except that any characters are allowed. Basic is RFC 7617;
    /// its user name is ignored.
    package static func secret(in value: String) -> String? {
        let bytes = Array(value.utf8)
        guard bytes.count <= maximumBytes else { return nil }
        let space = UInt8(ascii: " ")
        let scheme = bytes.prefix { $0 != space }
        let credentials = bytes.dropFirst(scheme.count).drop { $0 == space }
        guard !credentials.isEmpty else { return nil }
        switch String(decoding: scheme, as: UTF8.self).lowercased() {
        case "bearer": return String(decoding: credentials, as: UTF8.self)
        case "basic": return password(in: credentials)
        default: return nil
        }
    }

    private static func password(in credentials: ArraySlice<UInt8>) -> String? {
        guard let bytes = Base64.decode(credentials),
            !bytes.contains(where: { $0 < 0x20 || $0 == 0x7F }),
            String(validating: bytes, as: UTF8.self) != nil,
            let colon = bytes.firstIndex(of: UInt8(ascii: ":"))
        else { return nil }
        return String(validating: bytes[(colon + 1)...], as: UTF8.self)
    }
}
