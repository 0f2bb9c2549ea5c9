import HTTP
import Model
import Rules
import Sodium

/// The devices of a user, each with a token.
struct DevicesController: Controller {
    let services: Services

    func index(_ call: Call) async throws -> Response {
        let token = try services.authentication.token(of: call.request)
        let devices = try await services.signIns.devices(of: token).orThrow(.unauthorized)
        return SignInView.response(devices)
    }

    /// Changes the name of a device.
    func update(_ call: Call) async throws -> Response {
        let token = try services.authentication.token(of: call.request)
        let name = try call.displayName()
        let id = (try? call.id()) ?? 0
        let wasRenamed = try await services.signIns.renameDevice(id, to: name, by: token)
        guard let wasRenamed else { throw RequestError.unauthorized }
        guard wasRenamed else { throw RequestError.notFound }
        return IDView.response(id)
    }

    /// Ends the token of a device; the current one signs out.
    func destroy(_ call: Call) async throws -> Response {
        let token = try services.authentication.token(of: call.request)
        let id = call.namesCurrent ? nil : (try? call.id()) ?? 0
        let isKnown = try await services.signIns.endDevice(id, by: token).orThrow(.unauthorized)
        guard isKnown else { throw RequestError.notFound }
        return Response(.noContent)
    }

    /// Replaces the token of the device.
    func rotate(_ call: Call) async throws -> Response {
        let token = try services.authentication.token(of: call.request)
        let new = UUIDText.version4(from: RandomBytes.make(count: 16))
        let userID = try await services.signIns.rotate(token, to: TokenDigest(of: new))
        guard let userID else { throw RequestError.unauthorized }
        return UserView.response(User(id: userID), token: new, named: "auth_token")
    }
}

extension Call {
    /// Returns the name in the body; nil if it is null or blank.
    ///
    /// Throws `RequestError.nothingToChange` without one, and `ModelError.invalid`.
    func displayName() throws -> String? {
        let name = try parameters()["name"]
        guard name != .absent else { throw RequestError.nothingToChange(keys: ["name"]) }
        var validation = Validation()
        let text = validation.optional("Name", name.nullIfBlank, .displayName)
        guard validation.errors.isEmpty else { throw ModelError.invalid(validation.errors) }
        return text
    }
}
