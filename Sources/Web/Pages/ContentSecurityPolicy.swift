import HTTP
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

    /// Returns the policy of a page with this style sheet and forms, and without a script.
    static func text(ofForms style: String) -> String {
        """
        default-src 'none'; style-src \(digest(of: style)); img-src data:; form-action 'self'; \
        base-uri 'none'; frame-ancestors 'none'
        """
    }

    private static func digest(of text: String) -> String {
        "'sha256-\(Base64.encode(SHA256.digest(of: text)))'"
    }
}
