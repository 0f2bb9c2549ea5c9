import Model
import Rules
import Time

/// The admins and their tokens, the same for all engines.
struct AdminRecords: AdminStore {
    let database: any SharedDatabase

    func all() async throws -> [Admin] {
        try await database.rows(.admins, kinds: Admin.kinds).map { Admin($0) }
    }

    func credentials(of name: String) async throws -> AdminCredentials? {
        try await database.rows(.adminNamed, name, kinds: Admin.kinds).first.map {
            AdminCredentials(admin: Admin($0), hash: $0.text(4))
        }
    }

    func add(_ name: String, hash: String, by actor: String) async throws {
        let now = Timestamp.now()
        let values: [SharedValue] = [.text(name), .text(hash), .integer(now.milliseconds)]
        try await database.transaction { session in
            guard let row = try session.rows(.addAdmin, values, .integers(1)).first
            else { throw ModelError.conflict("There is an admin named \(name) already.") }
            try session.note(.add, row.integer(0), actor, now)
        }
    }

    func resetPassword(of name: String, hash: String, by actor: String) async throws {
        try await change(name, .resetPassword, actor, .setAdminHash, .text(hash))
    }

    func setDisabled(_ isDisabled: Bool, _ name: String, by actor: String) async throws {
        let now = Timestamp.now().milliseconds
        let action: AdminAction = isDisabled ? .disable : .enable
        let time = SharedValue.integer(isDisabled ? now : 0)
        try await change(name, action, actor, .setAdminDisabled, time)
    }

    /// Changes an admin, and ends the admin's tokens unless the admin is enabled.
    private func change(
        _ name: String,
        _ action: AdminAction,
        _ actor: String,
        _ sql: SharedSQL,
        _ value: SharedValue
    ) async throws {
        try await database.transaction { session in
            guard let row = try session.integers(sql, name, value).first else {
                throw ModelError.notFound
            }
            if action != .enable {
                try session.run(.endAdminTokens, row.integer(0))
            }
            try session.note(action, row.integer(0), actor, .now())
        }
    }

    func addToken(
        _ digest: TokenDigest,
        of credentials: AdminCredentials,
        name: String?,
        expiresAt: Timestamp,
        by actor: String
    ) async throws -> Bool {
        let (id, now) = (credentials.admin.id, Timestamp.now())
        return try await database.transaction { session in
            let known = try session.integers(.unchangedAdmin, id, credentials.hash)
            if known.isEmpty { return false }
            try session.run(.purgeAdminTokens, now.milliseconds)
            try session.run(
                .addAdminToken,
                id,
                name,
                digest,
                now.milliseconds,
                expiresAt.milliseconds
            )
            try session.note(name == nil ? .signIn : .token, id, actor, now)
            return true
        }
    }

    func admin(with digest: TokenDigest) async throws -> Admin? {
        let now = Timestamp.now().milliseconds
        let row = try await database.rows(
            .adminWithToken,
            digest,
            now,
            now - AdminLimits.idleMilliseconds,
            kinds: Admin.kinds
        ).first
        guard let row else { return nil }
        if row.integer(3) < now - AdminLimits.useMilliseconds {
            try await database.transaction { session in
                try session.run(.noteAdminUse, digest, now)
            }
        }
        return Admin(row, isEnabled: true)
    }

    func endToken(_ digest: TokenDigest, by actor: String) async throws {
        try await database.transaction { session in
            let ended = try session.integers(.endAdminToken, digest)
            guard let row = ended.first else { return }
            try session.note(.signOut, row.integer(0), actor, .now())
        }
    }
}

extension SharedSession {
    /// Writes to the audit what was done about an admin.
    fileprivate func note(
        _ action: AdminAction,
        _ id: Int64,
        _ actor: String,
        _ now: Timestamp
    ) throws {
        try addAction(action, "admin", id, AuditedChange(), actor, at: now)
    }
}

extension Admin {
    fileprivate static let kinds: [ColumnKind] = [.integer, .text, .integer, .integer, .text]

    /// Creates the admin of a row, whose fourth column is not read if the admin is enabled.
    fileprivate init(_ row: SharedRow, isEnabled: Bool = false) {
        let disabledAt = isEnabled ? nil : row.optionalInteger(3)
        self.init(
            id: row.integer(0),
            name: row.text(1),
            createdAt: Timestamp(milliseconds: row.integer(2)),
            disabledAt: disabledAt.map { Timestamp(milliseconds: $0) }
        )
    }
}

/// The statements about admins, which both engines understand.
extension SharedSQL {
    static let admins: SharedSQL = """
        SELECT id, name, created_at, disabled_at, '' FROM admins ORDER BY name
        """
    static let adminNamed: SharedSQL = """
        SELECT id, name, created_at, disabled_at, password_hash FROM admins WHERE name = $1
        """
    static let addAdmin: SharedSQL = """
        INSERT INTO admins (name, password_hash, created_at) VALUES ($1, $2, $3)
        ON CONFLICT (name) DO NOTHING RETURNING id
        """
    static let setAdminHash: SharedSQL = """
        UPDATE admins SET password_hash = $2 WHERE name = $1 RETURNING id
        """
    static let setAdminDisabled: SharedSQL = """
        UPDATE admins SET disabled_at = nullif($2, 0) WHERE name = $1 RETURNING id
        """
    static let endAdminTokens: SharedSQL = "DELETE FROM admin_tokens WHERE admin_id = $1"
    static let unchangedAdmin: SharedSQL = """
        SELECT id FROM admins
        WHERE id = $1 AND password_hash = $2 AND disabled_at IS NULL FOR UPDATE
        """
    static let purgeAdminTokens: SharedSQL = "DELETE FROM admin_tokens WHERE expires_at <= $1"
    static let addAdminToken: SharedSQL = """
        INSERT INTO admin_tokens (admin_id, name, digest, created_at, last_used_at, expires_at)
        VALUES ($1, $2, $3, $4, $4, $5)
        """
    /// Finds the admin with a token at the time $2, which is no session that was last used
    /// before $3.
    static let adminWithToken: SharedSQL = """
        SELECT admins.id, admins.name, admins.created_at, admin_tokens.last_used_at, ''
        FROM admin_tokens JOIN admins ON admins.id = admin_tokens.admin_id
        WHERE digest = $1 AND expires_at > $2 AND disabled_at IS NULL
            AND (last_used_at > $3 OR admin_tokens.name IS NOT NULL)
        """
    static let noteAdminUse: SharedSQL = """
        UPDATE admin_tokens SET last_used_at = $2 WHERE digest = $1
        """
    static let endAdminToken: SharedSQL = """
        DELETE FROM admin_tokens WHERE digest = $1 RETURNING admin_id
        """
}

/// The statements of admins as PostgreSQL takes them, which tests check.
package enum AdminSignInStatements {
    package static let all = [
        SharedSQL.admins, .adminNamed, .addAdmin, .setAdminHash, .setAdminDisabled, .endAdminTokens,
        .unchangedAdmin, .purgeAdminTokens, .addAdminToken, .adminWithToken, .noteAdminUse,
        .endAdminToken,
    ].map(\.postgresql)
}
