import Model

/// A kind of credential on the documentation page.
enum PageCredential: String, CaseIterable {
    case appSecret = "secret"
    case userToken = "user-token"
    case accountToken = "account-token"

    /// Returns the credential that an operation accepts, or nil if it accepts no credential.
    static func needed(by operation: Operation) -> PageCredential? {
        if operation.parameters.contains(where: { $0.name == secretHeader }) { return .appSecret }
        switch operation.credentials.first?.place {
        case .header: return .userToken
        case .bearer, .query: return .accountToken
        case nil: return nil
        }
    }

    /// The header that contains the app secret.
    static let secretHeader = "tb-app-secret"

    /// The name on the page.
    var name: String {
        switch self {
        case .appSecret: "App secret"
        case .userToken: "User token"
        case .accountToken: "Account token"
        }
    }

    /// The system whose endpoints require the credential.
    var system: ServedSystem { self == .accountToken ? .todo : .humon }

    /// Where the credential comes from, in one or two sentences with code in backquotes.
    var source: String {
        switch self {
        case .appSecret: "The operator's `TB_APP_SECRET`. Run `humon examples` to see it."
        case .userToken: "The `auth_token` that creating a user returns."
        case .accountToken: "The `authentication_token` that signing up or in returns."
        }
    }

    /// The purpose of the credential, in a sentence.
    var purpose: String {
        switch self {
        case .appSecret: "Lets your app create users."
        case .userToken: "Identifies a user of Humon."
        case .accountToken: "Identifies an account of Todo."
        }
    }
}
