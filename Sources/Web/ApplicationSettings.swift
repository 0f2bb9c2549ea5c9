/// What the operator decides about the application.
package struct ApplicationSettings: Sendable {
    /// The secrets of the apps that may sign users up; each is as good as another.
    let appSecrets: [String]
    /// Whether a device token that is a UUID may sign up without any secret.
    let allowsLegacySignUp: Bool

    package init(appSecrets: [String], allowsLegacySignUp: Bool) {
        self.appSecrets = appSecrets
        self.allowsLegacySignUp = allowsLegacySignUp
    }
}
