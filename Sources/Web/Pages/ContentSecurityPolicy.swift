import Sodium

/// The policy of a page, which allows only its own style sheet and script, by their digests
/// (<https://www.w3.org/TR/CSP3/>).
enum ContentSecurityPolicy {
    /// Returns the policy of a page that contains these files byte for byte.
    static func text(style: String, script: String?) -> String {
        let digests = (style: digest(of: style), script: script.map(digest) ?? "'none'")
        return """
            default-src 'none'; style-src \(digests.style); script-src \(digests.script); \
            connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; \
            frame-ancestors 'none'
            """
    }

    private static func digest(of text: String) -> String {
        "'sha256-\(base64(SHA256.digest(of: text)))'"
    }

    /// Encodes base64 with padding (RFC 4648, section 4).
    private static func base64(_ bytes: [UInt8]) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
        var text = ""
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            var bits = group.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            bits <<= UInt32(8 * (3 - group.count))
            for position in 0..<4 {
                let digit = Int(bits >> UInt32(18 - 6 * position) & 0x3F)
                text += position <= group.count ? String(alphabet[digit]) : "="
            }
        }
        return text
    }
}
