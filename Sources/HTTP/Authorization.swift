/// The credentials in the header `Authorization` (RFC 9110, section 11.6.2).
package enum Authorization: Equatable, Sendable {
    /// A token (RFC 6750, section 2.1). In contrast to the RFC, any characters are allowed.
    case bearer(String)
    /// A user name and a password (RFC 7617).
    case basic(user: String, password: String)

    /// The maximum length of the header's value in bytes; longer values are rejected.
    private static let maximumBytes = 1024

    /// Parses the header's value, or returns nil if it is malformed or has another scheme.
    package init?(_ value: String) {
        let bytes = Array(value.utf8)
        guard bytes.count <= Self.maximumBytes else { return nil }
        let space = UInt8(ascii: " ")
        let scheme = bytes.prefix { $0 != space }
        let credentials = bytes.dropFirst(scheme.count).drop { $0 == space }
        guard !credentials.isEmpty else { return nil }
        switch String(decoding: scheme, as: UTF8.self).lowercased() {
        case "bearer": self = .bearer(String(decoding: credentials, as: UTF8.self))
        case "basic": self.init(basic: credentials)
        default: return nil
        }
    }

    private init?(basic credentials: ArraySlice<UInt8>) {
        guard let bytes = Base64.decode(credentials),
            !bytes.contains(where: { $0 < 0x20 || $0 == 0x7F }),
            let colon = bytes.firstIndex(of: UInt8(ascii: ":")),
            let user = String(validating: bytes[..<colon], as: UTF8.self),
            let password = String(validating: bytes[(colon + 1)...], as: UTF8.self)
        else { return nil }
        self = .basic(user: user, password: password)
    }
}
