public import Foundation

/// The token's user.
public struct Users: Sendable {
    let transport: Transport

    /// Returns the token's user.
    @concurrent public func me() async throws(HumonError) -> Me {
        try await transport.send(.get("users/me", needsToken: true)).decode()
    }

    /// Changes the name that others see; nil removes it.
    @concurrent public func rename(_ name: String?) async throws(HumonError) {
        _ = try await transport.send(Call("PATCH", "users/me", .harmless).with(["name": name]))
    }

    /// Returns the user's devices, newest first.
    @concurrent public func devices() async throws(HumonError) -> [Device] {
        struct Devices: Decodable { let devices: [Device] }
        let reply = try await transport.send(.get("users/me/devices", needsToken: true))
        return try reply.decode(Devices.self).devices
    }

    /// Names a device; nil removes the name.
    @concurrent public func renameDevice(
        _ id: Device.ID,
        to name: String?
    ) async throws(HumonError) {
        let call = try Call("PATCH", "users/me/devices/\(id)", .harmless).with(["name": name])
        _ = try await transport.send(call)
    }

    /// Ends the token of a device.
    @concurrent public func endDevice(_ id: Device.ID) async throws(HumonError) {
        _ = try await transport.send(.delete("users/me/devices/\(id)"))
    }

    /// Returns the issuers with which the user signs in, oldest first.
    @concurrent public func identities() async throws(HumonError) -> [Identity] {
        struct Identities: Decodable { let identities: [Identity] }
        let reply = try await transport.send(.get("users/me/identities", needsToken: true))
        return try reply.decode(Identities.self).identities
    }

    /// Adds an issuer with which the user can sign in.
    @discardableResult
    @concurrent public func addIdentity(
        idToken: String,
        nonce: String? = nil
    ) async throws(HumonError) -> Identity.ID {
        let body = ["id_token": idToken, "nonce": nonce].compactMapValues(\.self)
        let call = try Call("POST", "users/me/identities", .harmless).with(body)
        return try await transport.send(call).decode(Identified.self).id
    }

    /// Removes an issuer, unless it is the only one.
    @concurrent public func removeIdentity(_ id: Identity.ID) async throws(HumonError) {
        _ = try await transport.send(.delete("users/me/identities/\(id)"))
    }

    /// Makes a code with which the user can delete everything on a web page, without the app.
    ///
    /// It works once, and replaces an earlier one.
    @concurrent public func deletionCode() async throws(HumonError) -> DeletionCode {
        try await transport.send(Call("POST", "users/me/deletion_code", .unsafe)).decode()
    }

    /// Deletes all that the user has stored, and the device's token; this can't be undone.
    @concurrent public func deleteMe() async throws(HumonError) {
        guard let token = try transport.tokens.current() else { throw .noToken }
        try await transport.end("users/me", token)
    }
}

/// The token's user, as only the user sees it.
public struct Me: Identifiable, Hashable, Sendable, Decodable {
    /// The id.
    public let id: User.ID
    /// The name that others see.
    public let name: String?
    /// The number of the user's events.
    public let events: Int
    /// The number of the user's attendances.
    public let attendances: Int
    /// The addresses of the issuers with which the user signs in.
    public var issuers: [String] { knownIssuers ?? [] }
    /// Whether the operator has banned the user from publishing.
    public var isBanned: Bool { banned ?? false }
    private let knownIssuers: [String]?
    private let banned: Bool?

    private enum CodingKeys: String, CodingKey {
        case id, name, events, attendances, banned
        case knownIssuers = "issuers"
    }
}

/// A device of the user.
public struct Device: Identifiable, Hashable, Sendable, Decodable {
    /// The id.
    public let id: Int64
    /// The name, which only the user sees.
    public let name: String?
    /// The time of the sign-up or sign-in.
    public let createdAt: Date
    /// The day of the last use in UTC, such as `2036-06-01`.
    public let lastSeenOn: String?
    /// Whether it is this device.
    public let isCurrent: Bool

    private enum CodingKeys: String, CodingKey {
        case id, name
        case createdAt = "created_at"
        case lastSeenOn = "last_seen_on"
        case isCurrent = "current"
    }
}

/// An issuer with which the user signs in.
public struct Identity: Identifiable, Hashable, Sendable, Decodable {
    /// The id.
    public let id: Int64
    /// The address of the issuer, such as `https://appleid.apple.com`.
    public let issuer: String
    /// The time when it was added.
    public let createdAt: Date

    private enum CodingKeys: String, CodingKey {
        case id, issuer
        case createdAt = "created_at"
    }
}

/// A code with which the user can delete everything on a web page.
public struct DeletionCode: Hashable, Sendable, Decodable {
    /// The code, such as `7F3K-9QXD-M2TB-WH5C`.
    public let code: String
    /// The time after which the code is void.
    public let expiresAt: Date
    /// The address of the page.
    public let url: URL

    private enum CodingKeys: String, CodingKey {
        case code, url
        case expiresAt = "expires_at"
    }
}
