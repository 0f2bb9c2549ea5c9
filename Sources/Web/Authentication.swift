import HTTP
import Model
import Sodium

/// Who is asking: reads the credentials of a request and looks them up.
struct Authentication: Sendable {
    /// The fields that may carry a user's token; the first that is present counts.
    private static let tokenFields = ["tb-device-token", "tb-auth-token", "x-device-token"]
    /// The fields that may carry the app's secret.
    private static let secretFields = ["tb-app-secret", "x-app-secret"]

    /// The fields that Humon's apps alone send.
    static let fields = tokenFields + secretFields

    private let users: any UserStore
    private let settings: ApplicationSettings
    private let limiter: RequestLimiter?

    init(users: any UserStore, settings: ApplicationSettings, limiter: RequestLimiter?) {
        self.users = users
        self.settings = settings
        self.limiter = limiter
    }

    /// The digest of the token that the request carries; throws `RequestError.unauthorized` if it
    /// carries none or an empty one, `.malformed` if it carries several, and `.tooManyRequests`.
    func token(of request: Request) throws(RequestError) -> TokenDigest {
        guard let token = try request.credential(in: Self.tokenFields), !token.isEmpty else {
            throw .unauthorized
        }
        let digest = TokenDigest(of: token)
        try limiter?.admit(token: digest)
        return digest
    }

    /// The user whose token the request carries; throws `RequestError.unauthorized` if there is
    /// none.
    func user(of request: Request) async throws -> User {
        guard let user = try await users.find(token: token(of: request)) else {
            throw RequestError.unauthorized
        }
        return user
    }

    /// What sign-up the request is entitled to; throws `RequestError.malformed` if it carries
    /// several secrets.
    func signUpRight(of request: Request) throws(RequestError) -> SignUpRight {
        guard let secret = try request.credential(in: Self.secretFields) else {
            return settings.allowsLegacySignUp
                ? .deviceTokenOnly
                : .none(reason: "no tb-app-secret header, and ALLOW_LEGACY_SIGN_UP is false")
        }
        if isAppSecret(secret) { return .full }
        return .none(
            reason: secret.isEmpty
                ? "the tb-app-secret header is empty"
                : "the value of the tb-app-secret header is not in TB_APP_SECRET"
        )
    }

    /// Every secret is compared, so that the duration does not tell which one matched.
    private func isAppSecret(_ secret: String) -> Bool {
        var isKnown = false
        for known in settings.appSecrets where ConstantTime.areEqual(secret, known) {
            isKnown = true
        }
        return isKnown && !secret.isEmpty
    }
}

/// What sign-up a request is entitled to.
enum SignUpRight {
    /// It carries one of the app's secrets.
    case full
    /// It carries no secret, but old apps that have none are let in with a device token that is a
    /// UUID.
    case deviceTokenOnly
    /// The reason is for the log; it holds nothing of the request.
    case none(reason: String)
}

extension TokenDigest {
    /// The digest of a token as a client sends it.
    init(of token: String) {
        self.init(bytes: SHA256.digest(of: token))
    }
}

extension Request {
    /// The value of the first of these fields that is present.
    ///
    /// Throws `RequestError.malformed` if one of them is there with different values: whoever put
    /// the other one in, a client or a proxy, must not be taken for somebody else.
    func credential(in names: [String]) throws(RequestError) -> String? {
        var first: String?
        for name in names {
            var value: String?
            for field in headers.fields where field.name == name {
                if let value, !value.utf8.elementsEqual(field.value.utf8) {
                    throw .malformed(
                        "The request has two \(name) headers with different values. "
                            + "Send one of them."
                    )
                }
                value = field.value
            }
            first = first ?? value
        }
        return first
    }
}
