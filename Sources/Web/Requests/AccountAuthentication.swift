import HTTP
import Model
import Rules

/// The authentication of Todo's calls by the access token of an account.
struct AccountAuthentication: Sendable {
    let accounts: any AccountStore
    let limiter: RequestLimiter?

    /// Returns the authentication in a transaction, of a request that was counted before.
    func joining(_ stores: Stores) -> AccountAuthentication {
        AccountAuthentication(accounts: stores.accounts, limiter: nil)
    }

    /// Returns the digest of the token in the parameter `authentication_token`, or else in the
    /// header `Authorization: Bearer` (RFC 6750, section 2.1).
    ///
    /// Throws `RequestError.signInRequired` if there is none or a blank one, `.malformed` if there
    /// are several, and `.tooManyRequests`.
    func token(of call: Call, _ parameters: Parameters) throws(RequestError) -> TokenDigest {
        let parameter = parameters[Parameters.accessToken]
        let spelling = parameter.isBlank ? nil : parameter.spelling
        let bearerToken = try Self.bearerToken(of: call.request)
        guard let token = spelling ?? bearerToken else { throw .signInRequired }
        let digest = TokenDigest(of: token)
        try limiter?.admit(token: digest)
        return digest
    }

    /// Returns the id of the signed-in account.
    ///
    /// Throws `RequestError.signInRequired` or, if the token is unknown, `.unknownAccessToken`.
    func accountID(of call: Call, _ parameters: Parameters) async throws -> Int64 {
        let token = try token(of: call, parameters)
        return try await accounts.findID(token: token).orThrow(.unknownAccessToken)
    }

    private static func bearerToken(of request: Request) throws(RequestError) -> String? {
        let words = try request.credential(in: ["authorization"])?.split(separator: " ") ?? []
        guard words.count == 2, words[0].lowercased() == "bearer" else { return nil }
        return String(words[1])
    }
}
