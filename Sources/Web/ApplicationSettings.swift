package import HTTP
package import Model
package import Rules

/// The settings of the application.
package struct ApplicationSettings: Sendable {
    /// The secrets of the apps that can create users, all of which are equivalent.
    let appSecrets: [String]
    /// Whether a device token that is a UUID can sign up without a secret.
    let allowsLegacySignUp: Bool
    /// The systems that are enabled; the paths of all others are unknown.
    let systems: Set<ServedSystem>

    /// The rate limits, or nil if they are off.
    package var rateLimits: RateLimits?
    /// The proxies whose forwarding headers are trusted.
    package var trustedProxies: [IPNetwork] = []
    /// The origins whose web pages can read responses, such as `https://app.example.com`.
    package var crossOrigins: [String] = []
    /// The hours from the start of an event without an end to its end in time windows.
    package var openEndHours = 3
    /// Whether searches accept the parameter `q`.
    package var searchesText = true
    /// The settings of the map of events, or nil if it is off.
    ///
    /// The map shows events, which belong to the humon API.
    package var map: MapSettings? {
        get { systems.contains(.humon) ? givenMap : nil }
        set { givenMap = newValue }
    }
    private var givenMap: MapSettings? = MapSettings()
    /// The operator's e-mail address for users, or nil to show none.
    package var contactEmail: String?
    /// The URL of the terms of use, or nil to show none.
    package var termsURL: String?
    /// The name of the app, as stores list it.
    package var appName = "Humon"
    /// Verifies ID tokens; nil if no issuer is configured.
    package var verifier: (any IdentityVerifier)?
    /// How long backups are kept, as the end of a sentence.
    package var backupRetention = "until the operator deletes them"
    /// The hours for which the numbers and places of changed records are kept at least.
    package var changeHours = 30 * 24
    /// The hours for which responses to writes with idempotency keys are kept.
    package var responseHours = 7 * 24
    /// The duration from which a request is logged as slow, in ms.
    package var slowMilliseconds = 1000
    package var streams = StreamLimits()
    /// The version that the documentation shows; empty to show none.
    package var version = ""
    /// The URL of the folder with the guides of this version; empty to link none.
    package var guides = ""

    package init(appSecrets: [String], allowsLegacySignUp: Bool, systems: Set<ServedSystem>) {
        self.appSecrets = appSecrets
        self.allowsLegacySignUp = allowsLegacySignUp
        self.systems = systems
    }
}
