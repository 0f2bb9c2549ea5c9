import HTTP
import Model
import Sodium

/// Sign-up: an app's secret buys a user.
struct UsersController: Sendable {
    /// The fields in which the older apps send a token of their own making.
    private static let deviceTokenFields = ["tb-device-token", "x-device-token"]

    let users: any UserStore
    let authentication: Authentication
    let limiter: RequestLimiter?

    /// Finds or makes the user of a device token, or makes a user with a new token.
    func create(_ call: Call) async throws -> Response {
        try limiter?.admitSignUp(call.request)
        let field = try call.request.credential(in: Self.deviceTokenFields)
        switch try authentication.signUpRight(of: call.request) {
        case .full:
            guard let token = try deviceToken(field, of: call) else {
                return try await createWithNewToken()
            }
            return try await findOrCreate(token)
        case .deviceTokenOnly:
            // Without a secret, a bad device token is answered like none.
            guard let token = try? deviceToken(field, of: call), token.isUUID else {
                throw RequestError.signUpRejected(
                    "no tb-app-secret header, and no device token that is a UUID"
                )
            }
            return try await findOrCreate(token)
        case .none(let reason):
            throw RequestError.signUpRejected(reason)
        }
    }

    /// The device token of the request: of its field, else of its body.
    private func deviceToken(_ field: String?, of call: Call) throws -> DeviceToken? {
        let parameter = try call.parameters()["device_token"]
        if let field { return try DeviceToken(field) }
        return parameter == .absent || parameter == .null ? nil : try DeviceToken(parameter)
    }

    private func findOrCreate(_ token: DeviceToken) async throws -> Response {
        let user = try await users.findOrCreate(token: TokenDigest(of: token.text))
        return UserView.response(user, token: token.text, named: "device_token")
    }

    private func createWithNewToken() async throws -> Response {
        let token = UUIDText.version4(from: RandomBytes.make(count: 16))
        let user = try await users.create(token: TokenDigest(of: token))
        return UserView.response(user, token: token, named: "auth_token")
    }
}
