import HTTP
import Model
import System

/// The rate limiters for requests.
///
/// Every function throws `RequestError.tooManyRequests` if a limit is exceeded.
final class RequestLimiter: Sendable {
    private let proxies: [IPNetwork]
    private let address: RateLimiter
    private let token: RateLimiter
    private let signUp: RateLimiter
    private let signIn: RateLimiter
    private let account: RateLimiter
    private let report: RateLimiter

    /// Creates a limiter that trusts the forwarding headers of these proxies.
    init(_ limits: RateLimits, proxies: [IPNetwork]) {
        self.proxies = proxies
        address = RateLimiter("address", limits.address)
        token = RateLimiter("token", limits.token)
        signUp = RateLimiter("sign-up", limits.signUp)
        signIn = RateLimiter("sign-in", limits.signIn)
        account = RateLimiter("account", limits.account)
        report = RateLimiter("report", limits.report)
    }

    /// Counts a request of any kind at the time `now`, in µs of the monotonic clock.
    func admit(_ request: Request, now: Int64) throws(RequestError) {
        try Self.admit(key(of: request), to: address, now: now)
    }

    /// Counts a request with this token.
    func admit(token: TokenDigest) throws(RequestError) {
        try Self.admit(Self.key(token), to: self.token)
    }

    /// Counts a sign-up.
    func admitSignUp(_ request: Request) throws(RequestError) {
        try Self.admit(key(of: request), to: signUp)
    }

    /// Counts a sign-in to the account with this e-mail address, which need not exist.
    func admitSignIn(_ request: Request, to email: EmailAddress?) throws(RequestError) {
        try Self.admit(key(of: request), to: signIn)
        if let email { try Self.admit(Self.key(email), to: account) }
    }

    /// Counts a sign-in of a person whose ID token was verified.
    func admitSignIn(_ identity: Identity) throws(RequestError) {
        try Self.admit(Self.key(identity), to: account)
    }

    /// Counts a report with this token, both for its address and for the token.
    func admitReport(_ request: Request, _ token: TokenDigest) throws(RequestError) {
        try Self.admit(key(of: request), to: report)
        try Self.admit(Self.key(token), to: report)
    }

    private static func admit(
        _ key: UInt64?,
        to limiter: RateLimiter,
        now: Int64 = MonotonicClock.microseconds()
    ) throws(RequestError) {
        guard let key else { return }
        do {
            try limiter.admit(client: key, now: now)
        } catch {
            throw .tooManyRequests(error)
        }
    }

    private func key(of request: Request) -> UInt64? {
        request.clientAddress(behind: proxies).map { Self.key($0.client) }
    }

    /// Returns a 64-bit number that clients can't predict.
    static func key(_ value: some Hashable) -> UInt64 {
        UInt64(bitPattern: Int64(value.hashValue))
    }
}

extension RateLimiter.Refusal {
    /// The seconds until the next request is admitted, at least 1.
    var waitSeconds: Int64 { max(1, (waitMicroseconds + 999_999) / 1_000_000) }

    /// Appends the time to wait, in the headers of RFC 9110, section 10.2.3, and
    /// draft-ietf-httpapi-ratelimit-headers-10.
    func append(to headers: inout Headers) {
        headers.append("retry-after", String(waitSeconds))
        headers.append("ratelimit-policy", "\"\(name)\";q=\(limit.count);w=\(limit.span.seconds)")
        headers.append("ratelimit", "\"\(name)\";r=0;t=\(waitSeconds)")
    }
}
