import JSON
package import Model
package import Rules
import Sodium

/// The rules for ID tokens, in the order in which they are checked.
extension IDToken {
    private static let skew: Int64 = 60
    private static let longestLife: Int64 = 86_400

    /// Returns the algorithm; throws unless the header is that of an ID token.
    func checkedHeader() throws(ModelError) -> PublicKey.Algorithm {
        guard case .string(let name) = header["alg"],
            let algorithm = PublicKey.Algorithm(rawValue: name)
        else { throw .rejected("has an algorithm other than RS256 and ES256") }
        guard header["crit"] == nil else { throw .otherKind }
        if let type = header["typ"] {
            guard case .string(let name) = type, name.lowercased() == "jwt" else {
                throw .otherKind
            }
        }
        return algorithm
    }

    /// Returns the person; throws unless the claims are allowed at `now`, in seconds since 1970.
    ///
    /// The signature must have been verified.
    package func checkedClaims(
        _ issuer: Issuer,
        nonce: String?,
        now: Int64
    ) throws(ModelError) -> Identity {
        // Logout tokens and notifications are signed with the same keys.
        guard claims["events"] == nil else { throw .otherKind }
        try checkTimes(now)
        try checkAudience(issuer)
        guard let subject = try text("sub"), 1...255 ~= subject.utf8.count,
            subject.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
        else { throw .malformedToken }
        try checkNonce(nonce, issuer)
        return Identity(issuer: issuer.name, subject: subject)
    }

    private func checkTimes(_ now: Int64) throws(ModelError) {
        guard let issued = try seconds("iat"), let expires = try seconds("exp") else {
            throw .malformedToken
        }
        let begins = try seconds("nbf") ?? 0
        // None of them is near the limits of 64 bits.
        if expires <= now - Self.skew { throw .rejected("has expired") }
        if max(issued, begins) > now + Self.skew {
            throw .rejected("is not valid yet")
        }
        if expires - issued > Self.longestLife + Self.skew {
            throw .rejected("is valid for more than 24 hours")
        }
    }

    private func checkAudience(_ issuer: Issuer) throws(ModelError) {
        let audiences = try audiences()
        let party = try text("azp")
        func isKnown(_ audience: String) -> Bool {
            issuer.audiences.contains { $0.isIdentical(to: audience) }
        }
        guard audiences.allSatisfy(isKnown),
            audiences.count == 1 || party.map(isKnown) == true
        else { throw .rejected("is for another audience") }
    }

    private func checkNonce(_ nonce: String?, _ issuer: Issuer) throws(ModelError) {
        guard let nonce else {
            if issuer.needsNonce { throw .rejected("can't be blank", of: "Nonce") }
            return
        }
        let digest = SHA256.digest(of: nonce).map { byte in
            (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }.joined()
        let allowed = issuer.needsNonce ? [digest] : [digest, nonce]
        guard case .string(let claim) = claims["nonce"],
            allowed.contains(where: { $0.isIdentical(to: claim) })
        else { throw .rejected("doesn't match", of: "Nonce") }
    }
}
