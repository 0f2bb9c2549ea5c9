import HTTP
import Model

/// Who is asking, where Todo is asked: reads the access token of a call and looks it up.
struct AccountAuthentication: Sendable {
    let accounts: any AccountStore
    let limiter: RequestLimiter?

    /// The digest of the token in the parameter `authentication_token`, or else in the field
    /// `Authorization: Bearer` (RFC 6750, section 2.1).
    ///
    /// Throws `RequestError.signInRequired` if there is none or a blank one, `.malformed` if there
    /// are several, and `.tooManyRequests`.
    func token(of call: Call, _ parameters: Parameters) throws(RequestError) -> TokenDigest {
        let parameter = parameters["authentication_token"]
        let spelling = parameter.isBlank ? nil : parameter.spelling
        let bearerToken = try Self.bearerToken(of: call.request)
        guard let token = spelling ?? bearerToken else { throw .signInRequired }
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

    private static func bearerToken(of request: Request) throws(RequestError) -> String? {
        let words = try request.credential(in: ["authorization"])?.split(separator: " ") ?? []
        guard words.count == 2, words[0].lowercased() == "bearer" else { return nil }
        return String(words[1])
    }
}
