import Formats
import HTTP
import JSON
import Logging
import Model
import Rules
import Sodium
import Time

/// The sessions of admins.
struct AdminSessionsController: AdminController {
    let services: AdminServices

    /// The maximum length of a password, in bytes.
    private static let longestPassword = 1000

    /// Signs in, and returns a new token.
    func create(_ call: Call) async throws -> Response {
        let parameters = try call.objectParameters()
        guard case .text(let name) = parameters["name"],
            case .text(let password) = parameters["password"]
        else {
            throw RequestError.malformed("Send name and password as texts.")
        }
        let address = call.clientAddress ?? call.request.peerAddress
        do {
            try services.signIns.admit(address, name, now: services.surroundings.now())
        } catch {
            log("admin sign-in rejected: too many attempts", address)
            throw error
        }
        let isSane = Admin.isName(name) && password.utf8.count <= Self.longestPassword
        let credentials = isSane ? try await services.admins.credentials(of: name) : nil
        let token = Admin.token(from: RandomBytes.make)
        let end = Timestamp(
            milliseconds: Timestamp.now().milliseconds + AdminLimits.sessionMilliseconds
        )
        // The same work for an unknown name.
        let isRight = try await services.signIns.matches(
            isSane ? password : "",
            hash: credentials?.hash
        )
        guard isRight, let credentials,
            try await services.admins.addToken(
                TokenDigest(of: token),
                of: credentials,
                name: nil,
                expiresAt: end,
                by: credentials.admin.name
            )
        else {
            log("admin sign-in failed", address)
            throw RequestError.wrongAdminCredentials
        }
        services.log(.signIn, "admin", "\(credentials.admin.id)", by: credentials.admin)
        return .object(.ok) { fields in
            fields.field("token", token)
            fields.field("expires_at", end)
            fields.object("admin") { fields in
                fields.field("id", credentials.admin.id)
                fields.field("name", credentials.admin.name)
            }
        }
    }

    private func log(_ message: String, _ address: IPAddress?) {
        services.logger.log(
            .warning,
            message,
            ["address": address.map { "\($0)" } ?? "unknown"]
        )
    }

    /// Ends the session of the request.
    func destroy(_ call: AdminCall) async throws -> Response {
        if let token = try Self.token(of: call.request) {
            try await services.admins.endToken(TokenDigest(of: token), by: call.admin.name)
            services.log(.signOut, "admin", "\(call.admin.id)", by: call.admin)
        }
        return Response(.noContent)
    }

    /// Returns the token of a request, nil if it has none.
    ///
    /// Unlike `Authorization.secret`, it doesn't read passwords, which browsers send by themselves.
    static func token(of request: Request) throws(RequestError) -> String? {
        guard let value = try request.credential(in: ["authorization"]) else { return nil }
        let parts = value.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
        return String(parts[1].drop { $0 == " " })
    }
}
