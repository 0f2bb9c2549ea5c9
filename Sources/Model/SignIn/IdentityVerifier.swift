/// A verifier of ID tokens (OpenID Connect Core 1.0, section 3.1.3.7).
package protocol IdentityVerifier: Sendable {
    /// Returns the identity in an ID token.
    ///
    /// - Parameters:
    ///   - idToken: The token, as the client sent it.
    ///   - nonce: The text whose digest the client has given to the issuer; nil for none.
    /// - Returns: The identity.
    /// - Throws: `ModelError.invalid` with one error for a token that can't be accepted, and
    ///   `.postponed` if the keys of the issuer can't be fetched.
    func verify(_ idToken: String, nonce: String?) async throws -> Identity

    /// Returns the issuer that a token names, before anything is verified; `unknown` unless it is
    /// configured.
    func issuer(of idToken: String) -> String
}
