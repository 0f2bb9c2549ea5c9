import Formats
import HTTP
import JSON
import Model
import Rules
import Sodium
import Time

/// Handles sign-up, which requires the app secret, and returns the token's user.
struct UsersController: Controller {
    /// The headers in which older apps send a token that they created.
    private static let deviceTokenFields = ["tb-device-token", "x-device-token"]

    let services: Services

    /// Finds or creates the user of a device token, or creates a user with a new token.
    func create(_ call: Call) async throws -> Response {
        try services.limiter?.admitSignUp(call.request)
        let field = try call.request.credential(in: Self.deviceTokenFields)
        switch try services.authentication.signUpRight(of: call.request) {
        case .full:
            guard let token = try deviceToken(field, of: call) else {
                let new = UUIDText.version4(from: RandomBytes.make(count: 16))
                let user = try await services.users.create(token: TokenDigest(of: new))
                return UserView.response(user, token: new, named: "auth_token")
            }
            guard let user = try await user(of: token) else { throw DeviceToken.invalid }
            return UserView.response(user, token: token.text, named: "device_token")
        case .deviceTokenOnly:
            // Without a secret, a malformed device token gets the same response as none.
            guard let token = try? deviceToken(field, of: call), token.isUUID,
                let user = try await user(of: token)
            else {
                throw RequestError.signUpRejected(
                    "no tb-app-secret header, and no device token that is a UUID"
                )
            }
            return UserView.response(user, token: token.text, named: "device_token")
        case .none(let reason):
            throw RequestError.signUpRejected(reason)
        }
    }

    /// Returns the token's user, with the numbers of the user's events and attendances.
    func show(_ call: Call) async throws -> Response {
        let token = try services.authentication.token(of: call.request, acceptsAuthorization: true)
        let summary = try await services.users.summary(ofUserWith: token).orThrow(.unauthorized)
        return UserView.response(summary)
    }

    /// Changes the name of the token's user, and returns the user.
    func update(_ call: Call) async throws -> Response {
        let token = try services.authentication.token(of: call.request)
        let name = try call.displayName()
        guard try await services.signIns.rename(name, by: token),
            let summary = try await services.users.summary(ofUserWith: token)
        else { throw RequestError.unauthorized }
        return UserView.response(summary)
    }

    /// Deletes the token's user with all that the user has stored.
    ///
    /// The token is in a header that only the app sends: a browser may send Authorization by
    /// itself.
    func destroy(_ call: Call) async throws -> Response {
        let token = try services.authentication.token(of: call.request)
        guard try await services.moderation.deleteUser(token: token) else {
            throw RequestError.unauthorized
        }
        return Response(.noContent)
    }

    /// Returns a new code, with which the user's data can be deleted without the app.
    func createCode(_ call: Call) async throws -> Response {
        let token = try services.authentication.token(of: call.request)
        let code = SecretCode(RandomBytes.make(count: SecretCode.randomBytes))
        let expiresAt = Timestamp(
            milliseconds: Timestamp.now().milliseconds + Self.codeMilliseconds
        )
        let isSet = try await services.moderation.setDeletionCode(
            TokenDigest(of: code.secret),
            expiresAt: expiresAt,
            for: token
        )
        guard isSet else { throw RequestError.unauthorized }
        return .object(.ok) { fields in
            fields.field("code", code.text)
            fields.field("expires_at", expiresAt)
            fields.field("url", call.address + "/account/delete")
        }
    }

    /// How long a code is valid: 30 days.
    private static let codeMilliseconds: Int64 = 30 * 86_400_000

    /// Returns the device token of the request's header, or else of its body.
    private func deviceToken(_ field: String?, of call: Call) throws -> DeviceToken? {
        let parameters = try call.parameters()
        if let field { return try DeviceToken(field) }
        try parameters.requireForm(with: ["device_token"])
        let parameter = parameters["device_token"]
        return parameter == .absent || parameter == .null ? nil : try DeviceToken(parameter)
    }

    /// Returns the token's user, and creates the user unless many installations share the token.
    private func user(of token: DeviceToken) async throws -> User? {
        let digest = TokenDigest(of: token.text)
        services.authentication.noteUse(of: digest)
        // Earlier versions created users with such tokens, who keep their events.
        return token.isShared
            ? try await services.users.find(token: digest)
            : try await services.users.findOrCreate(token: digest)
    }
}
