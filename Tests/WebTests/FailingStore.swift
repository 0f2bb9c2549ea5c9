import Events
import HTTP
import Logging
import Model
import Rules
import Sodium
import Time
import Web

/// A storage that can do nothing but fail in this way.
struct FailingStore: UserStore, EventStore, AttendanceStore, AccountStore, TodoTaskStore,
    SharedTaskStore, CheckinStore, InstallationStore, InvitationStore, ModerationStore,
    SignInStore, ResponseStore, StoreTransactions, ChangeStore, WebhookStore,
    AdminStore
{
    let error: any Error
    /// The representations of events that are in memory, by id.
    var remembered: [Int64: String] = [:]

    func find(token: TokenDigest) async throws -> User? { throw error }
    func summary(ofUserWith token: TokenDigest) async throws -> UserSummary? { throw error }
    func create(token: TokenDigest) async throws -> User { throw error }
    func findOrCreate(token: TokenDigest) async throws -> User { throw error }

    func find(_ id: Int64) async throws -> Event? { throw error }
    func findDated(_ id: Int64, for viewer: Int64?) async throws -> DatedEvent? { throw error }
    func page(_ query: EventQuery) async throws -> EventPage { throw error }
    func clusters(_ query: ClusterQuery) async throws -> [EventCluster] { throw error }
    func representation(of: Int64, for: TokenDigest?) async throws -> [UInt8]? { throw error }
    func isBlocker(_ token: TokenDigest) async throws -> Bool { throw error }
    func representationInMemory(of id: Int64, for: TokenDigest?) -> [UInt8]? {
        remembered[id].map { Array($0.utf8) }
    }
    func create(_: EventAttributes, token: TokenDigest) async throws -> Int64? { throw error }
    func delete(
        _ id: Int64,
        ownerID: Int64,
        if: Precondition<Event>?
    ) async throws { throw error }
    func update(
        _ id: Int64,
        ownerID: Int64,
        if: Precondition<Event>?,
        change: @escaping @Sendable (EventAttributes) throws -> EventAttributes
    ) async throws { throw error }

    func findOrCreate(userID: Int64, eventID: Int64) async throws -> Attendance { throw error }
    func delete(
        _ id: Int64,
        userID: Int64,
        if: Precondition<Attendance>?
    ) async throws { throw error }
    func all(ofEvent id: Int64, for viewer: Int64?) async throws -> [Attendance]? { throw error }

    func add(
        _: TokenDigest,
        toEvent: Int64,
        ownerID: Int64,
        replaces: Bool
    ) async throws { throw error }
    func closeAll(ofEvent: Int64, ownerID: Int64) async throws { throw error }
    func join(_: TokenDigest, eventID: Int64?, userID: Int64) async throws -> Attendance {
        throw error
    }

    func findID(token: TokenDigest) async throws -> Int64? { throw error }
    func find(email: EmailAddress) async throws -> AccountCredentials? { throw error }
    func create(
        _: NewAccount,
        passwordHash: String,
        token: TokenDigest
    ) async throws -> Account { throw error }
    func signIn(
        to: AccountCredentials,
        token: TokenDigest,
        renewedHash: String?
    ) async throws -> Bool { throw error }
    func signOut(token: TokenDigest) async throws -> Bool { throw error }
    func find(token: TokenDigest) async throws -> AccountCredentials? { throw error }

    func all(ofAccount: Int64) async throws -> [TodoTask] { throw error }
    func find(_: Int64, accountID: Int64) async throws -> TodoTask? { throw error }
    func create(_: TodoTaskChange, accountID: Int64) async throws -> TodoTask { throw error }
    func update(
        _: Int64,
        accountID: Int64,
        if: Precondition<TodoTask>?,
        _: TodoTaskChange
    ) async throws { throw error }
    func delete(
        _: Int64,
        accountID: Int64,
        if: Precondition<TodoTask>?
    ) async throws { throw error }

    func pending() async throws -> [SharedTask] { throw error }
    func add(_ task: SharedTask) async throws { throw error }
    func complete(taskID: Int64) async throws { throw error }

    func add(_ checkin: Checkin) async throws -> Int64 { throw error }
    func newest(limit: Int) async throws -> [CheckinRecord] { throw error }
    func categories(limit: Int) async throws -> [String] { throw error }

    func uuid() async throws -> String { throw error }

    func report(
        _: ReportedRecord,
        _: Complaint,
        by: TokenDigest
    ) async throws -> StoredReport? { throw error }
    func block(
        _: ReportedRecord,
        _: Complaint?,
        by: TokenDigest
    ) async throws -> MadeBlock? { throw error }
    func blocks(of token: TokenDigest) async throws -> [Block]? { throw error }
    func unblock(_: Int64, by: TokenDigest) async throws -> Bool? { throw error }
    func setDeletionCode(
        _: TokenDigest,
        expiresAt: Timestamp,
        for: TokenDigest
    ) async throws -> Bool { throw error }
    func deleteUser(token: TokenDigest) async throws -> Bool { throw error }
    func deleteUser(code: TokenDigest) async throws -> Bool { throw error }
    func deleteAccount(_: AccountCredentials, by: String?) async throws -> Bool { throw error }
    func perform(_: AdminAction, _: ReportedRecord, by: String) async throws -> Int64? {
        throw error
    }
    func edit(
        _: Int64,
        by: String,
        if: Precondition<Event>?,
        _: @escaping @Sendable (EventAttributes) throws -> EventAttributes
    ) async throws -> Int64? { throw error }
    func resolve(
        _: ReportedRecord,
        _: AdminAction,
        by: String
    ) async throws -> (reports: Int64, action: Int64) { throw error }
    func undo(_: Int64, by: String) async throws -> DoneAction { throw error }
    func note(_: AdminAction, kind: String, _: Int64?, by: String) async throws { throw error }
    func actions(before: Int64?, limit: Int) async throws -> [DoneAction] { throw error }
    func action(_ id: Int64) async throws -> DoneAction? { throw error }
    func users(areBanned: Bool, before: Int64?, limit: Int) async throws -> [ListedUser] {
        throw error
    }
    func user(_ id: Int64) async throws -> UserDetails? { throw error }
    func accounts(
        emailPrefix: String?,
        after: String?,
        limit: Int
    ) async throws -> [AccountSummary] { throw error }
    func account(_ id: Int64) async throws -> AccountSummary? { throw error }
    func openReports(after: OpenReports.Cursor?, limit: Int) async throws -> [OpenReports] {
        throw error
    }
    func reports(about: ReportedRecord, before: Int64?, limit: Int) async throws -> [Report] {
        throw error
    }
    func adminTotals() async throws -> RecordTotals { throw error }
    func reportTotals() async throws -> ReportTotals { throw error }
    func openReportCounts(ofEvents: [Int64]) async throws -> [Int64: Int64] { throw error }
    func reportedEvents(limit: Int) async throws -> [Int64] { throw error }
    func attendanceCount(ofEvent: Int64, limit: Int) async throws -> Int64 { throw error }
    func deletions() async throws -> [Deletion] { throw error }
    func signIn(_ signIn: SignIn) async throws -> SignInOutcome { throw error }
    func devices(of token: TokenDigest) async throws -> [Device]? { throw error }
    func devices(ofUser id: Int64) async throws -> [Device] { throw error }
    func renameDevice(_: Int64, to: String?, by: TokenDigest) async throws -> Bool? { throw error }
    func endDevice(_ id: Int64?, by token: TokenDigest) async throws -> Bool? { throw error }
    func rotate(_: TokenDigest, to: TokenDigest) async throws -> Int64? { throw error }
    func noteUse(of token: TokenDigest, on day: Int64) async throws { throw error }
    func identities(of token: TokenDigest) async throws -> [UserIdentity]? { throw error }
    func identities(ofUser id: Int64) async throws -> [UserIdentity] { throw error }
    func add(_ identity: Identity, by: TokenDigest) async throws -> Int64? { throw error }
    func removeIdentity(_: Int64, by: TokenDigest) async throws -> Bool? { throw error }
    func rename(_ name: String?, by token: TokenDigest) async throws -> Bool { throw error }
    func userID(of identity: Identity) async throws -> Int64? { throw error }
    func rename(_: Int64, to: String?, by: String) async throws { throw error }
    func merge(_: Int64, into: Int64, by: String) async throws { throw error }
    func revokeTokens(of: Int64, device: Int64?, by: String) async throws { throw error }

    func live() -> any LiveChanges { WaitedStore() }
    func latest() async throws -> ChangePosition { throw error }
    func summary() async throws -> LogSummary { throw error }
    func renew() async throws { throw error }
    func page(_: ChangeFilter, after: ChangePosition?, limit: Int) async throws -> ChangePage {
        throw error
    }
    func bounds() async throws -> (latest: ChangePosition, floor: Int64) { throw error }
    func range(
        _: ChangeFilter,
        after: ChangePosition,
        upTo: Int64?,
        limit: Int
    ) async throws -> ChangeRange? { throw error }

    func all() async throws -> [(webhook: Webhook, backlog: WebhookBacklog)] { throw error }
    func add(
        _: Webhook.Settings,
        _: Webhook.Progress,
        limit: Int,
        by: String
    ) async throws -> Int64 { throw error }
    func remove(_: Int64, by: String) async throws { throw error }
    func rotate(_: Int64, salt: [UInt8], until: Timestamp, by: String) async throws { throw error }
    func resume(_: Int64, skippingIn: String?, by: String) async throws { throw error }
    func store(
        _: Webhook.Progress,
        of: Webhook,
        by: String,
        now: Timestamp,
        leaseEnd: Timestamp
    ) async throws -> Bool { throw error }

    func summaries() async throws -> [AccountSummary] { throw error }
    func resetPassword(ofAccount: Int64, hash: String, by: String) async throws { throw error }
    func endSessions(ofAccount: Int64, by: String) async throws -> Int64 { throw error }
    func deleteAccount(_: Int64, by: String) async throws { throw error }

    func all() async throws -> [Admin] { throw error }
    func add(_: String, hash: String, by: String) async throws { throw error }
    func resetPassword(of: String, hash: String, by: String) async throws { throw error }
    func setDisabled(_: Bool, _: String, by: String) async throws { throw error }
    func credentials(of: String) async throws -> AdminCredentials? { throw error }
    func addToken(
        _: TokenDigest,
        of: AdminCredentials,
        name: String?,
        expiresAt: Timestamp,
        by: String
    ) async throws -> Bool { throw error }
    func admin(with: TokenDigest) async throws -> Admin? { throw error }
    func endToken(_: TokenDigest, by: String) async throws { throw error }

    func scope(of token: TokenDigest) async throws -> Int64? { throw error }
    func claim(_: [UInt8], fingerprint: [UInt8]) async throws -> StoredResponse? { throw error }
    func store(_ response: StoredResponse, of digest: [UInt8]) async throws { throw error }
    func atomically<T: Sendable>(
        _ body: @escaping @Sendable (Stores) async throws -> T
    ) async throws -> T { throw error }

    func repeatDeletions(_: [Deletion], by: String) async throws -> Int { throw error }
}

extension FailingStore {
    /// An application on this store, with the app secret `secret`.
    func application(
        _ logger: Logger,
        allowsLegacySignUp: Bool = false
    ) throws -> Application {
        try Application(
            stores: Stores(
                users: self,
                events: self,
                attendances: self,
                invitations: self,
                accounts: self,
                todoTasks: self,
                sharedTasks: self,
                checkins: self,
                installation: self,
                moderation: self,
                signIns: self,
                responses: self,
                transactions: self,
                changes: self,
                webhooks: self,
                admins: self
            ),
            passwordHasher: PasswordHasher(threads: 1, queueLimit: 1),
            settings: ApplicationSettings(
                appSecrets: ["secret"],
                allowsLegacySignUp: allowsLegacySignUp,
                systems: Set(ServedSystem.allCases)
            ),
            limits: APILimits(),
            logger: logger
        )
    }
}
