/// The rate limits for clients.
package struct RateLimits: Equatable, Sendable {
    /// Requests from one address.
    package var address = RateLimit(within: 12_000, per: .minute)
    /// Requests with one token.
    package var token = RateLimit(within: 3000, per: .minute)
    /// Sign-ups from one address.
    package var signUp = RateLimit(within: 600, per: .hour)
    /// Sign-ins from one address.
    package var signIn = RateLimit(within: 600, per: .hour)
    /// Sign-ins to one account from any address.
    package var account = RateLimit(within: 60, per: .hour)
    /// Reports with one token, and from one address.
    package var report = RateLimit(within: 60, per: .hour)

    /// Creates the default limits, which are far above what a household with many apps sends.
    package init() {}

    /// Returns the part of each limit that one of several servers allows, rounded up.
    package func divided(by count: Int) -> RateLimits {
        var part = self
        part.address = address.divided(by: count)
        part.token = token.divided(by: count)
        part.signUp = signUp.divided(by: count)
        part.signIn = signIn.divided(by: count)
        part.account = account.divided(by: count)
        part.report = report.divided(by: count)
        return part
    }
}
