import JSON
import Time

extension IDTokenVerifier {
    /// Returns what a token says, unverified, as rows of names and values for the operator.
    package static func rows(of idToken: String) -> [[String]] {
        guard let token = try? IDToken(idToken) else { return [] }
        let times = ["iat": "issued", "nbf": "valid from", "exp": "expires"]
        let rows: [(String, String, JSONObject)] = [
            ("issuer", "iss", token.claims), ("algorithm", "alg", token.header),
            ("key", "kid", token.header), ("audience", "aud", token.claims),
            ("azp", "azp", token.claims), ("subject", "sub", token.claims),
        ]
        return rows.compactMap { name, key, object in
            object[key].map { [name, Self.text($0)] }
        }
            + ["iat", "nbf", "exp"].compactMap { name in
                guard let seconds = try? token.seconds(name), let label = times[name] else {
                    return nil
                }
                return [label, Timestamp(milliseconds: seconds * 1000).text]
            }
    }

    /// Returns whether the signature of a token is valid.
    package func hasValidSignature(_ idToken: String) async -> Bool {
        (try? await authenticated(idToken)) != nil
    }

    private static func text(_ value: JSONValue) -> String {
        switch value {
        case .string(let text): text
        case .array(let values): values.map(text).joined(separator: ", ")
        default: "not a text"
        }
    }
}
