package import Addresses
package import Model
package import RateLimiting

/// What the operator decides about the application.
package struct ApplicationSettings: Sendable {
    /// The secrets of the apps that may sign users up; each is as good as another.
    let appSecrets: [String]
    /// Whether a device token that is a UUID may sign up without any secret.
    let allowsLegacySignUp: Bool
    /// The systems that are served; the paths of the others lead nowhere.
    let systems: Set<System>

    /// What one client may ask for; nil for as much as it likes.
    let rateLimits: RateLimits?
    /// The proxies that are believed when they say whom they ask for.
    let trustedProxies: [IPNetwork]
    /// The web pages of other origins that may read answers, such as `https://app.example.com`.
    let crossOrigins: [String]
    /// A request that takes so long is logged with what it was waiting for, in ms.
    let slowMilliseconds: Int
    /// Threads that answer requests.
    let threads: Int
    /// Memory for rendered events, of all threads together, in bytes.
    let renderingBytes: Int

    package init(
        appSecrets: [String],
        allowsLegacySignUp: Bool,
        systems: Set<System>,
        rateLimits: RateLimits? = nil,
        trustedProxies: [IPNetwork] = [],
        crossOrigins: [String] = [],
        slowMilliseconds: Int = 1000,
        threads: Int = 1,
        renderingBytes: Int = 1_000_000
    ) {
        self.appSecrets = appSecrets
        self.allowsLegacySignUp = allowsLegacySignUp
        self.systems = systems
        self.rateLimits = rateLimits
        self.trustedProxies = trustedProxies
        self.crossOrigins = crossOrigins
        self.slowMilliseconds = slowMilliseconds
        self.threads = threads
        self.renderingBytes = renderingBytes
    }
}
