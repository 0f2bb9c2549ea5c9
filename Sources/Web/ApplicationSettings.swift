package import Model

/// What the operator decides about the application.
package struct ApplicationSettings: Sendable {
    /// The secrets of the apps that may sign users up; each is as good as another.
    let appSecrets: [String]
    /// Whether a device token that is a UUID may sign up without any secret.
    let allowsLegacySignUp: Bool
    /// The systems that are served; the paths of the others lead nowhere.
    let systems: Set<System>

    package init(appSecrets: [String], allowsLegacySignUp: Bool, systems: Set<System>) {
        self.appSecrets = appSecrets
        self.allowsLegacySignUp = allowsLegacySignUp
        self.systems = systems
    }
}
