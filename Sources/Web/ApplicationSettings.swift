package import HTTP
package import Model

/// The settings of the application.
package struct ApplicationSettings: Sendable {
    /// The secrets of the apps that can create users, all of which are equivalent.
    let appSecrets: [String]
    /// Whether a device token that is a UUID can sign up without a secret.
    let allowsLegacySignUp: Bool
    /// The systems that are enabled; the paths of all others are unknown.
    let systems: Set<ServedSystem>

    /// The rate limits, or nil if they are off.
    let rateLimits: RateLimits?
    /// The proxies whose forwarding headers are trusted.
    let trustedProxies: [IPNetwork]
    /// The origins whose web pages can read responses, such as `https://app.example.com`.
    let crossOrigins: [String]
    /// The hours from the start of an event without an end to its end in time windows.
    let openEndHours: Int
    /// The settings of the map of events, or nil if there is no map.
    let map: MapSettings?
    /// The duration from which a request is logged as slow, in ms.
    let slowMilliseconds: Int
    /// The version that the documentation shows; empty to show none.
    let version: String

    package init(
        appSecrets: [String],
        allowsLegacySignUp: Bool,
        systems: Set<ServedSystem>,
        rateLimits: RateLimits? = nil,
        trustedProxies: [IPNetwork] = [],
        crossOrigins: [String] = [],
        openEndHours: Int = 3,
        map: MapSettings? = MapSettings(),
        slowMilliseconds: Int = 1000,
        version: String = ""
    ) {
        self.appSecrets = appSecrets
        self.allowsLegacySignUp = allowsLegacySignUp
        self.systems = systems
        self.rateLimits = rateLimits
        self.trustedProxies = trustedProxies
        self.crossOrigins = crossOrigins
        self.openEndHours = openEndHours
        // The map shows events, which belong to the humon API.
        self.map = systems.contains(.humon) ? map : nil
        self.slowMilliseconds = slowMilliseconds
        self.version = version
    }
}
