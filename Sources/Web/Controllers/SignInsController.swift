import HTTP
import Logging
import Model
import Rules
import Sodium

/// Sign-ins with an ID token, and the identities with which a user signs in.
struct SignInsController: Controller {
    let services: Services

    /// Verifies an ID token, and signs in the device as the user of its identity.
    func create(_ call: Call) async throws -> Response {
        let (parameters, identity) = try await services.verifiedIdentity(of: call)
        let form = try SignInForm(parameters)
        let header = try services.authentication.tokenText(of: call.request).flatMap { text in
            // Many installations have such a token, and would share the account.
            (try? DeviceToken(text))?.isShared == true ? nil : text
        }
        let new = UUIDText.version4(from: RandomBytes.make(count: 16))
        let outcome = try await services.signIns.signIn(
            SignIn(
                identity,
                present: (header ?? form.deviceToken).map(TokenDigest.init(of:)),
                deviceToken: form.deviceToken.map(TokenDigest.init(of:)),
                newToken: TokenDigest(of: new),
                deviceName: form.deviceName,
                merge: form.merge
            )
        )
        switch outcome {
        case .undecided(let device, let userID):
            return SignInView.undecided(device, userID: userID)
        case .done(let result, let token, let userID):
            services.signInNotice?.note(identity.issuer, result, userID: userID)
            let text =
                switch token {
                case .present: header ?? form.deviceToken ?? new
                case .deviceToken: form.deviceToken ?? new
                case .new: new
                }
            return SignInView.response(text, userID: userID, result)
        }
    }

    /// Lists the identities with which a user signs in.
    func identities(_ call: Call) async throws -> Response {
        let token = try services.authentication.token(of: call.request)
        let identities = try await services.signIns.identities(of: token).orThrow(.unauthorized)
        return SignInView.response(identities)
    }

    /// Gives the identity of an ID token to the user.
    func addIdentity(_ call: Call) async throws -> Response {
        let token = try services.authentication.token(of: call.request)
        let (_, identity) = try await services.verifiedIdentity(of: call)
        let id = try await services.signIns.add(identity, by: token).orThrow(.unauthorized)
        return IDView.response(id)
    }

    func remove(_ call: Call) async throws -> Response {
        let token = try services.authentication.token(of: call.request)
        let id = (try? call.id()) ?? 0
        guard let wasKnown = try await services.signIns.removeIdentity(id, by: token) else {
            throw RequestError.unauthorized
        }
        guard wasKnown else { throw RequestError.notFound }
        return Response(.noContent)
    }
}

/// The parameters of a sign-in, besides the ID token.
private struct SignInForm {
    var deviceToken: String?
    var deviceName: String?
    var merge: Bool?

    /// Reads the parameters; throws `ModelError.invalid` with all errors.
    init(_ parameters: Parameters) throws {
        var validation = Validation()
        _ = validation.optional("Nonce", parameters["nonce"], .nonce)
        deviceToken = validation.optional("Device token", parameters["device_token"], .deviceToken)
        deviceName = validation.optional(
            "Device name",
            parameters["device_name"].nullIfBlank,
            .displayName
        )
        merge = validation.optional("Merge", parameters["merge"], .truth)
        guard validation.errors.isEmpty else { throw ModelError.invalid(validation.errors) }
    }
}

extension Rule<String> {
    /// Accepts 1 to 255 printable ASCII characters.
    fileprivate static let nonce = Rule { input throws(Violation) in
        guard case .text(let text) = input, (1...255).contains(text.utf8.count),
            text.utf8.allSatisfy({ (0x20...0x7E).contains($0) })
        else { throw .invalid }
        return text
    }

    /// Accepts a UUID that not many devices share.
    fileprivate static let deviceToken = Rule { input throws(Violation) in
        guard let token = try? DeviceToken(input), token.isUUID, !token.isShared else {
            throw Violation(predicate: "must be a UUID")
        }
        return token.text
    }
}

extension Rule<Bool> {
    /// Accepts a boolean, and its name in a form.
    fileprivate static let truth = Rule { input throws(Violation) in
        switch input {
        case .boolean(let value): return value
        case .text("true"): return true
        case .text("false"): return false
        default: throw .invalid
        }
    }
}

extension Services {
    /// Returns the parameters of a body, and the identity in its ID token.
    ///
    /// Throws `RequestError.notFound` if no issuer is configured, and the errors of the limits, the
    /// parameters and the token, in this order.
    fileprivate func verifiedIdentity(of call: Call) async throws -> (Parameters, Identity) {
        guard let verifier = settings.verifier else { throw RequestError.notFound }
        try limiter?.admitSignIn(call.request, to: nil)
        // A query would stay in histories and logs.
        let parameters = try call.parameters().ofBody
        _ = try SignInForm(parameters)
        let idToken = parameters["id_token"].spelling ?? ""
        let identity: Identity
        do {
            identity = try await verifier.verify(idToken, nonce: parameters["nonce"].spelling)
        } catch {
            signInNotice?.note(error, issuer: verifier.issuer(of: idToken))
            throw error
        }
        try limiter?.admitSignIn(identity)
        return (parameters, identity)
    }
}

/// Notes sign-ins in the log and in metrics.
struct SignInNotice: Sendable {
    let logger: Logger
    let metrics: SignInMetrics

    func note(_ issuer: String, _ result: SignInResult, userID: Int64) {
        metrics.note(issuer, result.rawValue)
        logger.log(
            .info,
            "sign-in",
            ["issuer": issuer, "result": result.rawValue, "user": String(userID)]
        )
    }

    /// Notes why an ID token was not accepted.
    func note(_ error: any Error, issuer: String) {
        guard case ModelError.invalid(let errors) = error else {
            return metrics.note(issuer, "unavailable")
        }
        metrics.note(issuer, "rejected")
        logger.log(
            .info,
            "sign-in rejected",
            ["issuer": issuer, "reason": errors.first?.sentence ?? ""]
        )
    }
}
