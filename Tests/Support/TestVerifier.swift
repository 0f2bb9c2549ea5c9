package import Model
import Rules

/// A verifier of texts such as `apple:ana`, which names a person at an issuer.
///
/// It rejects `expired`, and any text if the nonce is `wrong`. For `unreachable`, it has no keys.
package struct TestVerifier: IdentityVerifier {
    package init() {}

    package func verify(_ idToken: String, nonce: String?) async throws -> Identity {
        func rejected(_ predicate: String, of attribute: String = "Id token") -> ModelError {
            .invalid([AttributeError(attribute, predicate)])
        }
        if idToken.isEmpty { throw rejected("can't be blank") }
        if idToken == "expired" { throw rejected("has expired") }
        if idToken == "unreachable" {
            throw ModelError.postponed(reason: "The keys can't be fetched.", seconds: 30)
        }
        if nonce == "wrong" { throw rejected("doesn't match", of: "Nonce") }
        let parts = idToken.split(separator: ":")
        guard parts.count == 2 else { throw rejected("is malformed") }
        return Identity(issuer: issuer(of: idToken), subject: String(parts[1]))
    }

    package func issuer(of idToken: String) -> String {
        "https://\(idToken.prefix { $0 != ":" }).example"
    }
}
