import Model
import StorageSupport

/// A store of sign-ins with a bug.
struct BrokenSignInStore: SignInStore {
    let base: any SignInStore
    let fault: StorageFault

    func signIn(_ signIn: SignIn) async throws -> SignInOutcome {
        var merge = signIn.merge
        if fault == .asksBeforeNoMerge, merge == nil { merge = true }
        let identity =
            fault == .ignoresIssuers
            ? Identity(issuer: "https://issuer.example", subject: signIn.identity.subject)
            : signIn.identity
        return try await base.signIn(
            SignIn(
                identity,
                present: fault == .linksNoDevices ? nil : signIn.present,
                deviceToken: signIn.deviceToken,
                newToken: signIn.newToken,
                deviceName: signIn.deviceName,
                merge: merge
            )
        )
    }

    func devices(of token: TokenDigest) async throws -> [Device]? {
        try await base.devices(of: token)
    }

    func devices(ofUser id: Int64) async throws -> [Device] { try await base.devices(ofUser: id) }

    func renameDevice(_ id: Int64, to name: String?, by token: TokenDigest) async throws -> Bool? {
        try await base.renameDevice(id, to: name, by: token)
    }

    func endDevice(_ id: Int64?, by token: TokenDigest) async throws -> Bool? {
        guard fault == .endsNoDevices else { return try await base.endDevice(id, by: token) }
        return try await base.devices(of: token)?.contains { $0.id == id }
    }

    func rotate(_ token: TokenDigest, to successor: TokenDigest) async throws -> Int64? {
        try await base.rotate(token, to: successor)
    }

    func noteUse(of token: TokenDigest, on day: Int64) async throws {
        if fault != .keepsReplacedTokens { try await base.noteUse(of: token, on: day) }
    }

    func identities(of token: TokenDigest) async throws -> [UserIdentity]? {
        try await base.identities(of: token)
    }

    func identities(ofUser id: Int64) async throws -> [UserIdentity] {
        try await base.identities(ofUser: id)
    }

    func add(_ identity: Identity, by token: TokenDigest) async throws -> Int64? {
        try await base.add(identity, by: token)
    }

    func removeIdentity(_ id: Int64, by token: TokenDigest) async throws -> Bool? {
        fault == .removesLastIdentity ? true : try await base.removeIdentity(id, by: token)
    }

    func rename(_ name: String?, by token: TokenDigest) async throws -> Bool {
        fault == .forgetsNames ? true : try await base.rename(name, by: token)
    }

    func userID(of identity: Identity) async throws -> Int64? {
        try await base.userID(of: identity)
    }

    func rename(_ user: Int64, to name: String?, by actor: String) async throws {
        try await base.rename(user, to: name, by: actor)
    }

    func merge(_ user: Int64, into other: Int64, by actor: String) async throws {
        if fault != .mergesNothing { try await base.merge(user, into: other, by: actor) }
    }

    func revokeTokens(of user: Int64, device: Int64?, by actor: String) async throws {
        if fault == .keepsRevokedTokens { return }
        try await base.revokeTokens(of: user, device: device, by: actor)
    }
}
