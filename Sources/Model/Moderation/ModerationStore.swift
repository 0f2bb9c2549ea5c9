package import Events
package import Rules
package import Time

/// The reports and blocks of users, the deletion of their data, and what operators do.
///
/// Failures are as in `UserStore`. Each change is one transaction. Functions with a token return
/// nil if no user has it.
package protocol ModerationStore: Sendable {
    // MARK: - Users

    /// Stores a user's report, or changes the user's open one.
    ///
    /// It stores nothing if an operator has decided since the record last changed.
    ///
    /// - Parameters:
    ///   - record: The reported record.
    ///   - complaint: What the user says.
    ///   - token: The user's token.
    /// - Returns: The report; nil if no user has the token.
    /// - Throws: `ModelError.banned`, `.notFound` if the user can't see such a record, `.ownEvent`,
    ///   `.ownUser`, and `.tooManyReports`.
    func report(
        _ record: ReportedRecord,
        _ complaint: Complaint,
        by token: TokenDigest
    ) async throws -> StoredReport?

    /// Keeps the events of another user from a user, and ends their attendances of each other's
    /// events.
    ///
    /// - Parameters:
    ///   - record: The user, or an event of the user.
    ///   - complaint: The report that comes with it; nil for none.
    ///   - token: The token of the user who blocks.
    /// - Returns: The block; nil if no user has the token.
    /// - Throws: `ModelError.notFound` for an unknown record, `.ownUser`, and `.invalid` if the
    ///   user blocks as many as are allowed.
    func block(
        _ record: ReportedRecord,
        _ complaint: Complaint?,
        by token: TokenDigest
    ) async throws -> MadeBlock?

    /// Returns the blocks of a user, oldest first.
    func blocks(of token: TokenDigest) async throws -> [Block]?

    /// Ends a block, and returns whether there was one.
    func unblock(_ userID: Int64, by token: TokenDigest) async throws -> Bool?

    /// Replaces the code that deletes a user's data, and returns whether a user has the token.
    func setDeletionCode(
        _ code: TokenDigest,
        expiresAt: Timestamp,
        for token: TokenDigest
    ) async throws -> Bool

    /// Deletes what a user has stored, and returns whether a user has the token.
    ///
    /// Events go with everybody's attendances, and blocks and open reports with them. The user's id
    /// stays, is never used again, and says nothing about a person. A banned user's token stays, so
    /// that a deletion doesn't end a ban. An event that another request has created meanwhile is
    /// deleted in a second transaction. O(n log m) for n of the user's records among m.
    func deleteUser(token: TokenDigest) async throws -> Bool

    /// Deletes what the user with a code has stored, and returns whether the code is valid.
    func deleteUser(code: TokenDigest) async throws -> Bool

    /// Deletes an account of Todo with its sessions and tasks; O(n log m) for n of m tasks.
    ///
    /// - Parameters:
    ///   - credentials: The account, with the hash that the password was checked against.
    ///   - actor: The operator who does it, for the audit; nil if the account's owner does.
    /// - Returns: Whether the account still had this hash. If not, nothing has changed.
    /// - Throws: The errors of all functions here.
    func deleteAccount(_ credentials: AccountCredentials, by actor: String?) async throws -> Bool

    // MARK: - Operators

    /// Performs an action on a record, and writes it to the audit.
    ///
    /// - Parameters:
    ///   - action: `.hide`, `.show` or `.delete` of an event; `.ban`, `.unban` or `.delete` of a
    ///     user.
    ///   - record: The record.
    ///   - actor: Who does it.
    /// - Returns: The id of the row of the audit; nil if the record is as the action leaves it, so
    ///   that nothing is written.
    /// - Throws: `ModelError.notFound`, and `.conflict` if the action contradicts the record.
    @discardableResult
    func perform(
        _ action: AdminAction,
        _ record: ReportedRecord,
        by actor: String
    ) async throws -> Int64?

    /// Replaces the attributes of an event with those that `change` returns, whoever can see it.
    ///
    /// The list of blocked words is not applied.
    ///
    /// - Parameters:
    ///   - id: The event.
    ///   - actor: Who does it.
    ///   - precondition: Throws if the event must not be changed; nil for none.
    ///   - change: Returns the new attributes; an error that it throws changes nothing.
    /// - Returns: The id of the row of the audit; nil if nothing has changed.
    /// - Throws: `ModelError.notFound`, and the errors of `precondition` and `change`.
    func edit(
        _ id: Int64,
        by actor: String,
        if precondition: Precondition<Event>?,
        _ change: @escaping @Sendable (EventAttributes) throws -> EventAttributes
    ) async throws -> Int64?

    /// Closes the open reports about a record with an action, and returns their number and the id
    /// of the row of the audit.
    ///
    /// The parameters and errors are those of `perform`; the action can also be `.dismiss`. Throws
    /// `ModelError.notFound` if no report is open.
    func resolve(
        _ record: ReportedRecord,
        _ action: AdminAction,
        by actor: String
    ) async throws -> (reports: Int64, action: Int64)

    /// Undoes an action, and returns it with the action that has undone it.
    ///
    /// A deleted event comes back with its attendances, but without those of users who were deleted
    /// or block its owner, and without invitations. Throws `ModelError.notFound`, and `.conflict`
    /// if it can't be undone or its record has changed.
    func undo(_ action: Int64, by actor: String) async throws -> DoneAction

    /// Notes an action that another store has done.
    func note(
        _ action: AdminAction,
        kind: String,
        _ recordID: Int64?,
        by actor: String
    ) async throws

    /// Returns the actions before an id, or the latest, newest first.
    ///
    /// Values of more than 4,096 characters are `{}`.
    func actions(before id: Int64?, limit: Int) async throws -> [DoneAction]

    /// Returns an action with its whole values; nil if it doesn't exist.
    func action(_ id: Int64) async throws -> DoneAction?

    /// Returns the users before an id, or the newest, or those of them that are banned.
    func users(areBanned: Bool, before id: Int64?, limit: Int) async throws -> [ListedUser]

    /// Returns a user, or nil if the user does not exist.
    func user(_ id: Int64) async throws -> UserDetails?

    /// Returns the accounts of Todo whose e-mail addresses begin with a text, in their order.
    ///
    /// - Parameters:
    ///   - emailPrefix: The text; nil for all accounts.
    ///   - email: The address after which the list begins; nil for the first.
    ///   - limit: The maximum number of accounts.
    /// - Returns: The accounts, with at most 100 tasks each.
    /// - Throws: The errors of all functions here.
    func accounts(
        emailPrefix: String?,
        after email: String?,
        limit: Int
    ) async throws -> [AccountSummary]

    /// Returns an account of Todo with at most `RecordTotals.mostCounted` tasks; nil if there is
    /// none.
    func account(_ id: Int64) async throws -> AccountSummary?

    /// Changes the password of an account of Todo, and ends its sessions.
    ///
    /// Throws `ModelError.notFound` if the account does not exist.
    func resetPassword(ofAccount id: Int64, hash: String, by actor: String) async throws

    /// Ends the sessions of an account of Todo, and returns their number.
    ///
    /// Throws `ModelError.notFound` if the account does not exist.
    func endSessions(ofAccount id: Int64, by actor: String) async throws -> Int64

    /// Deletes an account of Todo, as `deleteAccount` with credentials does.
    ///
    /// Throws `ModelError.notFound` if the account does not exist.
    func deleteAccount(_ id: Int64, by actor: String) async throws

    /// Returns the records with open reports after a position, those with the oldest report first.
    ///
    /// O(n) for n open reports.
    func openReports(after cursor: OpenReports.Cursor?, limit: Int) async throws -> [OpenReports]

    /// Returns the reports about a record before an id, or the latest, open and closed, newest
    /// first.
    func reports(
        about record: ReportedRecord,
        before id: Int64?,
        limit: Int
    ) async throws -> [Report]

    /// Returns how much is stored; O(n) for n hidden events and open reports.
    func adminTotals() async throws -> RecordTotals

    /// Returns the number of open reports and the time of the oldest; O(n).
    func reportTotals() async throws -> ReportTotals

    /// Returns the number of open reports about each of some events, without those that have none.
    func openReportCounts(ofEvents ids: [Int64]) async throws -> [Int64: Int64]

    /// Returns the ids of the newest events with open reports, in rising order.
    func reportedEvents(limit: Int) async throws -> [Int64]

    /// Returns the number of attendances of an event, counted up to a limit.
    func attendanceCount(ofEvent id: Int64, limit: Int) async throws -> Int64

    /// Returns the deletions of users and accounts.
    func deletions() async throws -> [Deletion]

    /// Repeats deletions after a restore, and returns the number of those that were missing.
    func repeatDeletions(_ deletions: [Deletion], by actor: String) async throws -> Int
}

extension ModelError {
    /// The error for one open report too many.
    package static let tooManyReports = ModelError.postponed(
        reason: "Too many reports are open. Try again later.",
        seconds: 3600
    )

    /// Returns the error for one block too many.
    package static func tooManyBlocks(_ maximum: Int64) -> ModelError {
        .invalid([
            AttributeError("Blocks", Violation(predicate: "are too many (maximum is \(maximum))"))
        ])
    }
}

/// The limits of what users do to each other, and of their devices; times are in ms.
package struct UserLimits: Equatable, Sendable {
    /// The maximum number of open reports.
    package var openReports: Int64 = 100_000
    /// The maximum number of blocks of a user.
    package var blocks: Int64 = 1000
    /// The number of users whose reports hide an event; 0 hides none.
    package var hidingReports: Int64 = 0
    /// The maximum number of devices of a user.
    package var devices: Int64 = 50
    /// How long the responses to writes with idempotency keys are kept.
    package var responseMilliseconds = 7 * day
    /// The maximum number of changes that a client can catch up with.
    package var changesBehind: Int64 = 65_536

    private static let day: Int64 = 86_400_000
    /// The maximum number of attendances of an event whose deletion can be undone.
    package var restoredAttendances: Int64 = 10_000
    /// How long a user must have existed for their report to count for `hidingReports`.
    package var youngMilliseconds = day
    /// How long a decision about a user can't be reported open again.
    package static let decisionMilliseconds = 30 * day
    /// How long closed reports are kept.
    package static let closedReportMilliseconds = 365 * day
    /// How long an action can be undone.
    package static let undoMilliseconds = 90 * day
    /// How long an action is kept in the audit.
    package static let auditMilliseconds = 730 * day

    package init() {}
}
