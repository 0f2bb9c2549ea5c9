import HTTP
import JSON
import Model
import Rules
import Sodium

/// The codes with which users can attend an event that they can't see.
struct InvitationsController: Controller {
    let services: Services

    /// Adds a code, which this response alone contains.
    func create(_ call: Call) async throws -> Response {
        let user = try await services.authentication.user(of: call.request)
        let parameters = try call.parameters()
        try parameters.requireForm(with: ["replace"])
        var validation = Validation()
        let replaces = validation.optional(
            "Replace",
            parameters["replace"].nullIfBlank,
            keeping: false,
            .boolean
        )
        guard validation.errors.isEmpty else { throw ModelError.invalid(validation.errors) }
        let code = SecretCode(RandomBytes.make(count: SecretCode.randomBytes))
        try await services.invitations.add(
            TokenDigest(of: code.secret),
            toEvent: call.id(),
            ownerID: user.id,
            replaces: replaces == true
        )
        return .object(.ok) { $0.field("code", code.text) }
    }

    /// Closes all codes.
    func destroy(_ call: Call) async throws -> Response {
        let user = try await services.authentication.user(of: call.request)
        try await services.invitations.closeAll(ofEvent: call.id(), ownerID: user.id)
        return Response(.noContent)
    }
}
