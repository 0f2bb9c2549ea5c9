import Model
import Rules
import Time

/// A store of admins with a bug.
struct BrokenAdminStore: AdminStore {
    let base: any AdminStore
    let fault: StorageFault

    func all() async throws -> [Admin] { try await base.all() }

    func add(_ name: String, hash: String, by actor: String) async throws {
        do {
            try await base.add(name, hash: hash, by: self.actor(actor))
        } catch ModelError.conflict where fault == .addsAdminsTwice {}
    }

    func resetPassword(of name: String, hash: String, by actor: String) async throws {
        if fault == .keepsAdminsPasswords { return }
        try await base.resetPassword(of: name, hash: hash, by: self.actor(actor))
    }

    func setDisabled(_ isDisabled: Bool, _ name: String, by actor: String) async throws {
        do {
            try await base.setDisabled(isDisabled, name, by: self.actor(actor))
        } catch ModelError.notFound where fault == .disablesUnknownAdmins {}
    }

    func credentials(of name: String) async throws -> AdminCredentials? {
        try await base.credentials(of: name)
    }

    func addToken(
        _ digest: TokenDigest,
        of credentials: AdminCredentials,
        name: String?,
        expiresAt: Timestamp,
        by actor: String
    ) async throws -> Bool {
        var credentials = credentials
        if fault == .acceptsFormerPasswords {
            credentials = try await base.credentials(of: credentials.admin.name) ?? credentials
        }
        let isEndless = fault == .acceptsExpiredTokens
        let isAdded = try await base.addToken(
            digest,
            of: credentials,
            name: fault == .keepsIdleSessions ? "session" : name,
            expiresAt: isEndless ? .latest : expiresAt,
            by: self.actor(actor)
        )
        return isAdded || fault == .signsInDisabledAdmins && credentials.admin.disabledAt != nil
    }

    func admin(with digest: TokenDigest) async throws -> Admin? {
        try await base.admin(with: digest)
    }

    func endToken(_ digest: TokenDigest, by actor: String) async throws {
        if fault == .signsNoAdminOut { return }
        try await base.endToken(digest, by: self.actor(actor))
    }

    private func actor(_ actor: String) -> String {
        fault == .forgetsActors ? "" : actor
    }
}
