import Glibc

/// Recognises addresses of the Internet protocol.
enum Address {
    /// Whether the text is an IPv4 or IPv6 address, without brackets, zone or port.
    static func isLiteral(_ text: String) -> Bool {
        // inet_pton writes 4 or 16 bytes, so the widest of both is room enough.
        var storage = in6_addr()
        return unsafe inet_pton(AF_INET, text, &storage) == 1
            || inet_pton(AF_INET6, text, &storage) == 1
    }
}
