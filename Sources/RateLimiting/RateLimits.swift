/// The limits on what one client may ask for.
package struct RateLimits: Equatable, Sendable {
    /// Requests from one address.
    package var address = RateLimit(within: 12_000, per: .minute)
    /// Requests with one token.
    package var token = RateLimit(within: 3000, per: .minute)
    /// Sign-ups from one address.
    package var signUp = RateLimit(within: 600, per: .hour)
    /// Sign-ins from one address.
    package var signIn = RateLimit(within: 600, per: .hour)
    /// Sign-ins to one account, from wherever they come.
    package var account = RateLimit(within: 60, per: .hour)

    /// Figures that no app reaches, nor a house full of them behind one address.
    package init() {}
}
