import HTTP
import Model

/// Who is asking, where Todo is asked: reads the access token of a call and looks it up.
struct AccountAuthentication: Sendable {
    let accounts: any AccountStore
    let limiter: RequestLimiter?

    /// The digest of the token in the parameter `authentication_token`, or else in the field
    /// `Authorization: Bearer` (RFC 6750, section 2.1).
    ///
    /// Throws `RequestError.signInRequired` if there is none or a blank one, and
    /// `.tooManyRequests`.
    func token(of call: Call, _ parameters: Parameters) throws(RequestError) -> TokenDigest {
        let parameter = parameters["authentication_token"]
        let spelling = parameter.isBlank ? nil : parameter.spelling
        guard let token = spelling ?? Self.bearerToken(of: call.request)
        else { throw .signInRequired }
        let digest = TokenDigest(of: token)
        try limiter?.admit(token: digest)
        return digest
    }

    /// The id of the account that the call is signed in to; throws `RequestError.signInRequired`
    /// or, for a token that nobody is signed in with, `.unknownAccessToken`.
    func accountID(of call: Call, _ parameters: Parameters) async throws -> Int64 {
        let token = try token(of: call, parameters)
        guard let id = try await accounts.findID(token: token) else {
            throw RequestError.unknownAccessToken
        }
        return id
    }

    private static func bearerToken(of request: Request) -> String? {
        let words = request.headers["authorization"]?.split(separator: " ") ?? []
        guard words.count == 2, words[0].lowercased() == "bearer" else { return nil }
        return String(words[1])
    }
}
