import Events
import Model
import Rules
import StorageSupport
import Time

/// A store of moderation with a bug.
struct BrokenModerationStore: ModerationStore {
    let base: Stores
    let fault: StorageFault

    private var moderation: any ModerationStore { base.moderation }

    func report(
        _ record: ReportedRecord,
        _ complaint: Complaint,
        by token: TokenDigest
    ) async throws -> StoredReport? {
        let report = try await moderation.report(record, complaint, by: token)
        guard fault == .repeatsReports, let report else { return report }
        return StoredReport(
            id: report.id,
            record: record,
            reason: report.reason,
            openCount: report.openCount ?? 1
        )
    }

    func block(
        _ record: ReportedRecord,
        _ complaint: Complaint?,
        by token: TokenDigest
    ) async throws -> MadeBlock? {
        let made = try await moderation.block(record, complaint, by: token)
        if fault == .blocksNobody, let made {
            _ = try await moderation.unblock(made.blockedID, by: token)
        }
        return made
    }

    func blocks(of token: TokenDigest) async throws -> [Block]? {
        try await moderation.blocks(of: token)
    }

    func unblock(_ userID: Int64, by token: TokenDigest) async throws -> Bool? {
        try await moderation.unblock(userID, by: token)
    }

    func setDeletionCode(
        _ code: TokenDigest,
        expiresAt: Timestamp,
        for token: TokenDigest
    ) async throws -> Bool {
        try await moderation.setDeletionCode(code, expiresAt: expiresAt, for: token)
    }

    func deleteUser(token: TokenDigest) async throws -> Bool {
        guard fault == .keepsEventsOfDeletedUsers else {
            return try await moderation.deleteUser(token: token)
        }
        guard let user = try await base.users.find(token: token) else { return false }
        try await base.signIns.revokeTokens(of: user.id, device: nil, by: "cli:ana")
        return true
    }

    func deleteUser(code: TokenDigest) async throws -> Bool {
        let isDeleted = try await moderation.deleteUser(code: code)
        return isDeleted || fault == .acceptsAnyCode
    }

    func deleteAccount(
        _ credentials: AccountCredentials,
        by actor: String?
    ) async throws -> Bool {
        guard fault == .deletesWithAnyHash else {
            return try await moderation.deleteAccount(credentials, by: actor)
        }
        let email = EmailAddress(stored: credentials.account.email)
        let stored = try await base.accounts.find(email: email)
        return try await moderation.deleteAccount(stored ?? credentials, by: actor)
    }

    func deleteAccount(_ id: Int64, by actor: String) async throws {
        try await moderation.deleteAccount(id, by: actor)
    }

    func resetPassword(ofAccount id: Int64, hash: String, by actor: String) async throws {
        try await moderation.resetPassword(ofAccount: id, hash: hash, by: actor)
    }

    func endSessions(ofAccount id: Int64, by actor: String) async throws -> Int64 {
        guard fault != .endsNoSessions else { return 1 }
        return try await moderation.endSessions(ofAccount: id, by: actor)
    }

    func perform(
        _ action: AdminAction,
        _ record: ReportedRecord,
        by actor: String
    ) async throws -> Int64? {
        if fault == .hidesNothing, action == .hide { return nil }
        if fault == .bansNobody, action == .ban { return nil }
        return try await moderation.perform(action, record, by: actor)
    }

    func edit(
        _ id: Int64,
        by actor: String,
        if precondition: Precondition<Event>?,
        _ change: @escaping @Sendable (EventAttributes) throws -> EventAttributes
    ) async throws -> Int64? {
        try await moderation.edit(id, by: actor, if: precondition) { attributes in
            let new = try change(attributes)
            return fault == .editsNothing ? attributes : new
        }
    }

    func resolve(
        _ record: ReportedRecord,
        _ action: AdminAction,
        by actor: String
    ) async throws -> (reports: Int64, action: Int64) {
        try await moderation.resolve(record, action, by: actor)
    }

    func undo(_ action: Int64, by actor: String) async throws -> DoneAction {
        guard fault == .undoesNothing else {
            let done = try await moderation.undo(action, by: actor)
            if fault == .restoresNothing, case .event(let id) = done.record {
                for attendance in try await base.attendances.all(ofEvent: id, for: nil) ?? [] {
                    try await base.attendances.delete(
                        attendance.id,
                        userID: attendance.userID,
                        if: nil
                    )
                }
            }
            return done
        }
        guard let done = try await moderation.action(action) else { throw ModelError.notFound }
        return done
    }

    func note(
        _ action: AdminAction,
        kind: String,
        _ recordID: Int64?,
        by actor: String
    ) async throws {
        try await moderation.note(action, kind: kind, recordID, by: actor)
    }

    func actions(before id: Int64?, limit: Int) async throws -> [DoneAction] {
        try await moderation.actions(before: id, limit: limit)
    }

    func action(_ id: Int64) async throws -> DoneAction? { try await moderation.action(id) }

    func users(areBanned: Bool, before id: Int64?, limit: Int) async throws -> [ListedUser] {
        let id = fault == .repeatsPages ? nil : id
        return try await moderation.users(areBanned: areBanned, before: id, limit: limit)
    }

    func user(_ id: Int64) async throws -> UserDetails? { try await moderation.user(id) }

    func accounts(
        emailPrefix: String?,
        after email: String?,
        limit: Int
    ) async throws -> [AccountSummary] {
        try await moderation.accounts(emailPrefix: emailPrefix, after: email, limit: limit)
    }

    func account(_ id: Int64) async throws -> AccountSummary? {
        try await moderation.account(id)
    }

    func openReports(after cursor: OpenReports.Cursor?, limit: Int) async throws -> [OpenReports] {
        fault == .forgetsReports
            ? [] : try await moderation.openReports(after: cursor, limit: limit)
    }

    func reports(
        about record: ReportedRecord,
        before id: Int64?,
        limit: Int
    ) async throws -> [Report] {
        try await moderation.reports(about: record, before: id, limit: limit)
    }

    func adminTotals() async throws -> RecordTotals {
        let totals = try await moderation.adminTotals()
        guard fault == .countsNothing else { return totals }
        return RecordTotals(
            events: totals.events,
            users: 0,
            attendances: 0,
            accounts: 0,
            hiddenEvents: 0,
            reports: totals.reports
        )
    }

    func reportTotals() async throws -> ReportTotals { try await moderation.reportTotals() }

    func openReportCounts(ofEvents ids: [Int64]) async throws -> [Int64: Int64] {
        try await moderation.openReportCounts(ofEvents: ids)
    }

    func reportedEvents(limit: Int) async throws -> [Int64] {
        try await moderation.reportedEvents(limit: limit)
    }

    func attendanceCount(ofEvent id: Int64, limit: Int) async throws -> Int64 {
        try await moderation.attendanceCount(ofEvent: id, limit: limit)
    }

    func deletions() async throws -> [Deletion] {
        fault == .forgetsDeletions ? [] : try await moderation.deletions()
    }

    func repeatDeletions(_ deletions: [Deletion], by actor: String) async throws -> Int {
        try await moderation.repeatDeletions(deletions, by: actor)
    }
}
