import HTTP
package import Model
import Rules
import Sodium
import System
import Time

/// The authentication of requests by the token of a user, and of sign-ups by an app secret.
struct Authentication: Sendable {
    /// The headers that can contain a user's token; the first one that is present counts.
    private static let tokenFields = ["tb-device-token", "tb-auth-token", "x-device-token"]
    /// The headers that can contain the app secret.
    private static let secretFields = ["tb-app-secret", "x-app-secret"]

    /// The headers that only Humon's apps send.
    static let fields = tokenFields + secretFields

    private var users: any UserStore
    private let signIns: any SignInStore
    /// The tokens that were used today.
    private let usedTokens = BoundedSet<TokenUse>(capacity: 10_000)
    private let settings: ApplicationSettings
    private var limiter: RequestLimiter?
    /// Whether the uses of tokens are stored.
    private var notesUses = true

    init(
        users: any UserStore,
        signIns: any SignInStore,
        settings: ApplicationSettings,
        limiter: RequestLimiter?
    ) {
        self.users = users
        self.signIns = signIns
        self.settings = settings
        self.limiter = limiter
    }

    /// Returns the authentication in a transaction, of a request that was counted before.
    func joining(_ stores: Stores) -> Authentication {
        var authentication = self
        authentication.users = stores.users
        authentication.limiter = nil
        authentication.notesUses = false
        return authentication
    }

    /// Returns the digest of the request's token.
    ///
    /// Throws `RequestError.unauthorized` if there is no token or an empty one, `.malformed` if
    /// there are several, and `.tooManyRequests`.
    ///
    /// If `acceptsAuthorization` is true, `Authorization` can also contain the token: as a bearer
    /// token, or as the password of any user name, for calendar apps. The headers of Humon's apps
    /// take precedence. Only read-only endpoints may accept it, because browsers send stored
    /// passwords without asking the user.
    func token(
        of request: Request,
        acceptsAuthorization: Bool = false
    ) throws(RequestError) -> TokenDigest {
        let secret = try tokenText(of: request, acceptsAuthorization: acceptsAuthorization)
        let digest = try TokenDigest(of: secret.orThrow(.unauthorized))
        try limiter?.admit(token: digest)
        noteUse(of: digest)
        return digest
    }

    /// Returns the token of a request; nil for a missing or an empty one.
    ///
    /// Throws `RequestError.malformed` if there are several.
    func tokenText(
        of request: Request,
        acceptsAuthorization: Bool = false
    ) throws(RequestError) -> String? {
        var found = try request.credential(in: Self.tokenFields)
        if found == nil, acceptsAuthorization {
            found = try request.credential(in: ["authorization"]).flatMap(Authorization.secret)
        }
        return found.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Stores that a token is used today, once and without delaying the request.
    func noteUse(of token: TokenDigest) {
        let day = Timestamp.now().milliseconds / 86_400_000
        let use = TokenUse(token: token, day: day)
        guard notesUses, !usedTokens.contains(use) else { return }
        usedTokens.insert(use)
        // Without it, the list of devices has an older day, and a replaced token ends later.
        Task { [users, signIns] in
            // Made-up tokens must not keep the transactions of others waiting.
            guard try await users.find(token: token) != nil else { return }
            try await signIns.noteUse(of: token, on: day)
        }
    }

    /// Returns the user with the request's token, or throws `RequestError.unauthorized`.
    ///
    /// `acceptsAuthorization` has the same meaning as in `token`.
    func user(of request: Request, acceptsAuthorization: Bool = false) async throws -> User {
        let token = try token(of: request, acceptsAuthorization: acceptsAuthorization)
        return try await users.find(token: token).orThrow(.unauthorized)
    }

    /// Returns the digest of the request's token, for reads that need none.
    ///
    /// Returns nil for a missing token, and for several different ones. It counts against no limit.
    func viewerToken(of request: Request) -> TokenDigest? {
        guard let secret = try? tokenText(of: request, acceptsAuthorization: true) else {
            return nil
        }
        let digest = TokenDigest(of: secret)
        noteUse(of: digest)
        return digest
    }

    /// Returns the user with the request's token, who may publish.
    ///
    /// Throws `RequestError.unauthorized`, and `ModelError.banned` if the user is banned.
    func publisher(of request: Request) async throws -> User {
        let user = try await user(of: request)
        if user.isBanned { throw ModelError.banned }
        return user
    }

    /// Returns the id of the user with the request's token, for reads that need none.
    ///
    /// Returns nil for a missing or an unknown token, and for several different ones.
    func viewer(of request: Request) async throws -> Int64? {
        do {
            return try await user(of: request, acceptsAuthorization: true).id
        } catch RequestError.unauthorized, RequestError.malformed {
            return nil
        }
    }

    /// The headers that the responses to reads depend on if users can see different things.
    static let viewerFields = "tb-device-token, tb-auth-token, X-DEVICE-TOKEN, Authorization"

    /// Returns which sign-up the request can do; throws `.malformed` if it has several secrets.
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

    /// Compares every secret, so that the duration doesn't reveal which one matched.
    private func isAppSecret(_ secret: String) -> Bool {
        var isKnown = false
        for known in settings.appSecrets where ConstantTime.areEqual(secret, known) {
            isKnown = true
        }
        return isKnown && !secret.isEmpty
    }
}

/// The use of a token on a day since 1970-01-01.
private struct TokenUse: Hashable {
    let token: TokenDigest
    let day: Int64
}

/// The kind of sign-up that a request can do.
enum SignUpRight {
    /// Any, because the request has a valid app secret.
    case full
    /// Only with a device token that is a UUID, because the request has no secret and
    /// `ALLOW_LEGACY_SIGN_UP` is on.
    case deviceTokenOnly
    /// None; the reason is for the log and contains nothing from the request.
    case none(reason: String)
}

extension TokenDigest {
    /// Creates the digest of a token or a code as a client sends it.
    package init(of token: String) {
        self.init(bytes: SHA256.digest(of: token))
    }
}

extension Request {
    /// Returns the value of the first of these headers that is present.
    ///
    /// Throws `RequestError.malformed` if one of them has several different values. A client or
    /// proxy that adds one must not be mistaken for another user.
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
