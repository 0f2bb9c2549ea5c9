import Events
import Model
import Rules
import Time

extension ModerationRecords {
    func setDeletionCode(
        _ code: TokenDigest,
        expiresAt: Timestamp,
        for token: TokenDigest
    ) async throws -> Bool {
        try await database.transaction { session in
            guard let user = try session.livingUser(with: token) else { return false }
            try session.run(.setCode, user.id, code, expiresAt.milliseconds)
            return true
        }
    }

    func deleteUser(token: TokenDigest) async throws -> Bool {
        try await deleteUser { session in try session.user(with: token) }
    }

    func deleteUser(code: TokenDigest) async throws -> Bool {
        let now = Timestamp.now().milliseconds
        return try await deleteUser { session in
            try session.integers(.userWithCode, code, now, count: 3).first.map(ModeratedUser.init)
        }
    }

    /// Deletes the user that `find` returns, and returns whether there is one.
    ///
    /// It finds the user twice, because the events are listed in between.
    private func deleteUser(
        _ find: @escaping @Sendable (any SharedSession) throws -> ModeratedUser?
    ) async throws -> Bool {
        let found = try await database.transaction { session in try find(session) }
        guard let user = found else { return false }
        // Only a ban has kept the token.
        if user.isDeleted { return true }
        return try await delete(user.id) { session in try find(session)?.id == user.id } != nil
    }

    /// Deletes a user for an operator, and returns the id of the row of the audit; nil if that was
    /// done before.
    ///
    /// Throws `ModelError.notFound` if the user doesn't exist.
    func delete(_ id: Int64, by actor: String) async throws -> Int64? {
        try await delete(id, by: actor) { session in try !session.user(id).isDeleted } ?? nil
    }

    /// Deletes a user if `isAllowed` still says so; `actor` is the operator who does it.
    ///
    /// Returns nil if it doesn't, and otherwise the id of the row of the audit, if there is one.
    private func delete(
        _ id: Int64,
        by actor: String? = nil,
        if isAllowed: @escaping @Sendable (any SharedSession) throws -> Bool
    ) async throws -> Int64?? {
        let events = try await listedEvents(ofOwner: id)
        let deletion = try await database.transaction { session -> Int64?? in
            guard try isAllowed(session) else { return .none }
            let now = Timestamp.now()
            let change = try session.deleteUser(id, events, at: now)
            guard let actor else { return .some(nil) }
            return try session.addAction(.delete, "user", id, change, actor, at: now)
        }
        guard let deletion else { return .none }
        // Without the token, a request can't create another one after these.
        if let late = try await listedEvents(ofOwner: id), !late.isEmpty {
            try await database.transaction { session in
                try session.deleteEvents(late, ofOwner: id)
            }
        }
        return .some(deletion)
    }

    /// Returns the ids of an owner's events if memory has them; otherwise the transaction finds
    /// them.
    private func listedEvents(ofOwner id: Int64) async throws -> [Int64]? {
        database.searchesInMemory ? try await database.events().eventIDs(ofOwner: id) : nil
    }

    func deleteAccount(
        _ credentials: AccountCredentials,
        by actor: String?
    ) async throws -> Bool {
        let id = credentials.account.id
        return try await database.transaction { session in
            try session.lock(credentials) && session.deleteAccount(id, by: actor)
        }
    }

    func deleteAccount(_ id: Int64, by actor: String) async throws {
        try await database.transaction { session in
            guard try session.deleteAccount(id, by: actor) else { throw ModelError.notFound }
        }
    }

    func resetPassword(
        ofAccount id: Int64,
        hash: String,
        by actor: String
    ) async throws {
        let now = Timestamp.now()
        try await database.transaction { session in
            let changed = try session.integers(.setAccountHash, id, hash, now.milliseconds)
            if changed.isEmpty { throw ModelError.notFound }
            try session.run(.deleteSessions, id)
            let change = AuditedChange()
            try session.addAction(.resetPassword, "account", id, change, actor, at: now)
        }
    }

    func endSessions(ofAccount id: Int64, by actor: String) async throws -> Int64 {
        try await database.transaction { session in
            let known = try session.integers(.account, id)
            if known.isEmpty { throw ModelError.notFound }
            let ended = try session.integers(.deleteSessions, id)
            let change = AuditedChange()
            try session.addAction(.signOut, "account", id, change, actor, at: .now())
            return Int64(ended.count)
        }
    }

    func deletions() async throws -> [Deletion] {
        try await database.read { session in
            let users = try session.integers(.deletedUsers)
            let accounts = try session.integers(.deletedAccounts)
            return users.map { .user($0.integer(0)) } + accounts.map { .account($0.integer(0)) }
        }
    }

    func repeatDeletions(
        _ deletions: [Deletion],
        by actor: String
    ) async throws -> Int {
        let known = try await self.deletions()
        var count = 0
        for deletion in deletions where !known.contains(deletion) {
            do {
                switch deletion {
                case .user(let id): _ = try await delete(id, by: actor)
                case .account(let id): try await deleteAccount(id, by: actor)
                }
                count += 1
            } catch ModelError.notFound {
                // The backup is older than the record.
            }
        }
        return count
    }
}

extension SharedSession {
    /// Deletes the tokens and the identities of a deleted user, unless a ban needs them.
    func forgetSignIns(_ user: Int64) throws {
        let state = try self.user(user)
        guard state.isDeleted, !state.isBanned else { return }
        try run(.endAll, user)
        try run(.deleteIdentities, user)
    }

    /// Deletes what a user has stored, with these events, or with all if they are nil.
    fileprivate func deleteUser(
        _ userID: Int64,
        _ events: [Int64]?,
        at time: Timestamp
    ) throws -> AuditedChange {
        let id = SharedValue.integer(userID)
        let listed =
            try events
            ?? integers(.eventsOfOwner, id).map { $0.integer(0) }
        try deleteEvents(listed, ofOwner: userID)
        try noteAttendances(integers(.deleteAttendances, id, count: 3))
        for row in try integers(.deleteBlocks, id, count: 2) {
            try note(.block(of: row.integer(1), by: row.integer(0)))
        }
        try run(.closeReports, ReportedRecord.user(userID).kind, id, time.milliseconds, "gone")
        try run(.forgetReports, id)
        try run(.forgetActions, id)
        try run(.deleteUser, id, time.milliseconds)
        try forgetSignIns(userID)
        return AuditedChange(userID: userID)
    }

    /// Deletes an account of Todo, and returns whether there is one.
    fileprivate func deleteAccount(_ id: Int64, by actor: String?) throws -> Bool {
        let now = Timestamp.now()
        for row in try integers(.deleteAccountTasks, id) {
            try note(.task(row.integer(0), account: id))
        }
        try run(.deleteSessions, id)
        let rows = try integers(.deleteAccount, id)
        if rows.isEmpty { return false }
        try run(.noteDeletedAccount, id, now.milliseconds)
        if let actor {
            try addAction(.delete, "account", id, AuditedChange(), actor, at: now)
        }
        return true
    }
}
