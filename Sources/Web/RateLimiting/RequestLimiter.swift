import Addresses
import HTTP
import Metrics
import Model
import RateLimiting

/// Holds those who ask to the rate limits, if there are any.
///
/// Every function throws `RequestError.tooManyRequests` where there have been too many.
struct RequestLimiter: Sendable {
    private struct Limiters: Sendable {
        let address: RateLimiter
        let token: RateLimiter
        let signUp: RateLimiter
        let signIn: RateLimiter
        let account: RateLimiter

        init(_ limits: RateLimits) {
            address = RateLimiter("address", limits.address)
            token = RateLimiter("token", limits.token)
            signUp = RateLimiter("sign-up", limits.signUp)
            signIn = RateLimiter("sign-in", limits.signIn)
            account = RateLimiter("account", limits.account)
        }
    }

    private let limiters: Limiters?
    private let proxies: [IPNetwork]

    /// Without `limits` everything is let through; `proxies` are believed when they name the
    /// client they ask for.
    init(_ limits: RateLimits?, proxies: [IPNetwork]) {
        limiters = limits.map(Limiters.init)
        self.proxies = proxies
    }

    /// Counts a request of any kind.
    func admit(_ request: Request) throws(RequestError) {
        guard let limiters else { return }
        try Self.admit(key(of: request), to: limiters.address)
    }

    /// Counts a request with this token.
    func admit(token: TokenDigest) throws(RequestError) {
        guard let limiters else { return }
        try Self.admit(Self.key(token), to: limiters.token)
    }

    /// Counts an attempt to sign up.
    func admitSignUp(_ request: Request) throws(RequestError) {
        guard let limiters else { return }
        try Self.admit(key(of: request), to: limiters.signUp)
    }

    /// Counts an attempt to sign in to the account of this address, which need not exist.
    func admitSignIn(_ request: Request, to email: EmailAddress?) throws(RequestError) {
        guard let limiters else { return }
        try Self.admit(key(of: request), to: limiters.signIn)
        if let email { try Self.admit(Self.key(email), to: limiters.account) }
    }

    private static func admit(_ key: UInt64?, to limiter: RateLimiter) throws(RequestError) {
        guard let key else { return }
        do {
            try limiter.admit(client: key, now: MonotonicClock.microseconds())
        } catch {
            throw .tooManyRequests(error)
        }
    }

    private func key(of request: Request) -> UInt64? {
        request.clientAddress(behind: proxies).map { Self.key($0.client) }
    }

    /// A number of 64 bits that nobody outside can foretell.
    private static func key(_ value: some Hashable) -> UInt64 {
        UInt64(bitPattern: Int64(value.hashValue))
    }
}
