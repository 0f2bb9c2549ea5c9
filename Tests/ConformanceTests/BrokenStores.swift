import Conformance
import Model
import StorageSupport
import Time

/// A mistake that an implementation of the stores can make.
enum StorageFault: String, CaseIterable, Sendable {
    case forgetsFirstEvent
    case cutsNames
    case forgetsDates
    case showsPrivateEvents
    case forgetsUpdates
    case ordersFarthestFirst
    case ignoresLimit
    case representsFirstEventOnly
    case remembersEveryEvent
    case listsOneEventOnly
    case ignoresPreconditions
    case ignoresOwners
    case updatesWhatItSawFirst
    case ignoresRepeatedDeletion
    case repeatsFirstPage
    case ignoresTimes
    case ignoresAttendees
    case countsRowsOfPage
    case measuresNoDirections
    case continuesAfterLastPage
    case omitsSmallestCluster
    case datesPagesWrong
    case excludesStartsOfWindows
    case cutsBoxesAtAntimeridian
    case ignoresPolygons
    case misplacesClusters
    case prefersNewestEvents
    case skipsEventAfterPage
    case unescapesNames
    case createsUserForEachRequest
    case keepsRevokedTokens
    case keepsEventsOfDeletedUsers
    case ignoresIssuers
    case linksNoDevices
    case asksBeforeNoMerge
    case mergesNothing
    case endsNoDevices
    case keepsReplacedTokens
    case removesLastIdentity
    case forgetsNames
    case ignoresLastBytesOfTokens
    case countsEventsOfOthers
    case listsAttendancesBackwards
    case keepsSessions
    case ignoresChangedHashes
    case normalizesNoAddresses
    case signsOutTwice
    case deletesWithAnyHash
    case hidesNothing
    case bansNobody
    case blocksNobody
    case repeatsReports
    case forgetsReports
    case undoesNothing
    case editsNothing
    case restoresNothing
    case repeatsPages
    case countsNothing
    case acceptsAnyCode
    case forgetsDeletions
    case addsAdminsTwice
    case keepsAdminsPasswords
    case signsInDisabledAdmins
    case acceptsFormerPasswords
    case acceptsExpiredTokens
    case keepsIdleSessions
    case signsNoAdminOut
    case disablesUnknownAdmins
    case forgetsActors
    case endsNoSessions
    case showsTasksOfFirstAccount
    case forgetsTimesOfChanges
    case losesSharedTaskWithKnownID
    case ordersCategoriesByUTF16
    case changesInstallation
    case ignoresStrictness
    case commitsFailedImports
}

extension ConformanceSubject {
    /// The stores, one of which makes a mistake.
    func broken(by fault: StorageFault) -> ConformanceSubject {
        var subject = self
        switch fault {
        case .forgetsFirstEvent, .cutsNames, .forgetsDates, .forgetsUpdates, .showsPrivateEvents,
            .ordersFarthestFirst, .ignoresLimit, .representsFirstEventOnly, .remembersEveryEvent,
            .listsOneEventOnly,
            .ignoresPreconditions, .ignoresOwners, .updatesWhatItSawFirst,
            .ignoresRepeatedDeletion, .repeatsFirstPage, .ignoresTimes, .ignoresAttendees,
            .countsRowsOfPage, .measuresNoDirections, .continuesAfterLastPage,
            .omitsSmallestCluster, .datesPagesWrong, .excludesStartsOfWindows,
            .cutsBoxesAtAntimeridian, .ignoresPolygons, .misplacesClusters, .prefersNewestEvents,
            .skipsEventAfterPage, .unescapesNames:
            subject.events = BrokenEventStore(base: stores.events, fault: fault)
        case .keepsRevokedTokens, .ignoresIssuers, .linksNoDevices, .asksBeforeNoMerge,
            .mergesNothing, .endsNoDevices, .keepsReplacedTokens, .removesLastIdentity,
            .forgetsNames:
            subject.signIns = BrokenSignInStore(base: stores.signIns, fault: fault)
        case .createsUserForEachRequest, .countsEventsOfOthers, .ignoresLastBytesOfTokens:
            subject.users = BrokenUserStore(base: stores.users, fault: fault)
        case .listsAttendancesBackwards:
            subject.attendances = BrokenAttendanceStore(base: stores.attendances)
        case .keepsSessions, .ignoresChangedHashes, .normalizesNoAddresses, .signsOutTwice:
            subject.accounts = BrokenAccountStore(base: stores.accounts, fault: fault)
        case .keepsEventsOfDeletedUsers, .deletesWithAnyHash, .hidesNothing, .bansNobody,
            .blocksNobody, .repeatsReports, .forgetsReports, .undoesNothing, .editsNothing,
            .restoresNothing,
            .repeatsPages, .countsNothing, .acceptsAnyCode,
            .forgetsDeletions, .endsNoSessions:
            subject.moderation = BrokenModerationStore(base: stores, fault: fault)
        case .addsAdminsTwice, .keepsAdminsPasswords, .signsInDisabledAdmins,
            .acceptsFormerPasswords, .acceptsExpiredTokens, .keepsIdleSessions, .signsNoAdminOut,
            .disablesUnknownAdmins, .forgetsActors:
            subject.admins = BrokenAdminStore(base: stores.admins, fault: fault)
        case .showsTasksOfFirstAccount, .forgetsTimesOfChanges:
            subject.todoTasks = BrokenTodoTaskStore(base: stores.todoTasks, fault: fault)
        case .losesSharedTaskWithKnownID:
            subject.sharedTasks = BrokenSharedTaskStore(base: stores.sharedTasks)
        case .ordersCategoriesByUTF16:
            subject.checkins = BrokenCheckinStore(base: stores.checkins)
        case .changesInstallation:
            subject.installation = BrokenInstallationStore()
        case .ignoresStrictness, .commitsFailedImports:
            subject.transfer = BrokenTransfer(base: transfer, fault: fault)
        }
        return subject
    }
}

private actor Counter {
    private var count: UInt8 = 100

    func next() -> UInt8 {
        count &+= 1
        return count
    }
}

private struct BrokenUserStore: UserStore {
    let base: any UserStore
    let fault: StorageFault
    private let counter = Counter()

    init(base: any UserStore, fault: StorageFault) {
        self.base = base
        self.fault = fault
    }

    func find(token: TokenDigest) async throws -> User? {
        guard fault == .ignoresLastBytesOfTokens else { return try await base.find(token: token) }
        return try await base.find(token: TokenDigest(bytes: token.bytes.dropLast() + [1]))
    }

    func summary(ofUserWith token: TokenDigest) async throws -> UserSummary? {
        let summary = try await base.summary(ofUserWith: token)
        guard fault == .countsEventsOfOthers, let summary else { return summary }
        return UserSummary(
            id: summary.id,
            eventCount: 3,
            attendanceCount: summary.attendanceCount
        )
    }

    func create(token: TokenDigest) async throws -> User { try await base.create(token: token) }

    func findOrCreate(token: TokenDigest) async throws -> User {
        guard fault == .createsUserForEachRequest else {
            return try await base.findOrCreate(token: token)
        }
        let byte = await counter.next()
        return try await base.create(
            token: TokenDigest(bytes: [UInt8](repeating: byte, count: 32))
        )
    }
}

private struct BrokenAttendanceStore: AttendanceStore {
    let base: any AttendanceStore

    func findOrCreate(userID: Int64, eventID: Int64) async throws -> Attendance {
        try await base.findOrCreate(userID: userID, eventID: eventID)
    }

    func delete(
        _ id: Int64,
        userID: Int64,
        if precondition: Precondition<Attendance>?
    ) async throws {
        try await base.delete(id, userID: userID, if: precondition)
    }

    func all(ofEvent id: Int64, for viewer: Int64?) async throws -> [Attendance]? {
        try await base.all(ofEvent: id, for: viewer)?.reversed()
    }
}

private struct BrokenAccountStore: AccountStore {
    let base: any AccountStore
    let fault: StorageFault

    func findID(token: TokenDigest) async throws -> Int64? { try await base.findID(token: token) }

    func find(token: TokenDigest) async throws -> AccountCredentials? {
        try await base.find(token: token)
    }

    func find(email: EmailAddress) async throws -> AccountCredentials? {
        guard fault == .normalizesNoAddresses, let text = email.unnormalizedText else {
            return try await base.find(email: email)
        }
        return try await base.find(email: EmailAddress(stored: text))
    }

    func summaries() async throws -> [AccountSummary] { try await base.summaries() }

    func create(
        _ account: NewAccount,
        passwordHash: String,
        token: TokenDigest
    ) async throws -> Account {
        try await base.create(account, passwordHash: passwordHash, token: token)
    }

    func signIn(
        to credentials: AccountCredentials,
        token: TokenDigest,
        renewedHash: String?
    ) async throws -> Bool {
        if fault == .keepsSessions { return true }
        let stored = try await base.find(email: EmailAddress(stored: credentials.account.email))
        return try await base.signIn(
            to: stored ?? credentials,
            token: token,
            renewedHash: renewedHash
        )
    }

    func signOut(token: TokenDigest) async throws -> Bool {
        let isSignedOut = try await base.signOut(token: token)
        return fault == .signsOutTwice || isSignedOut
    }
}

private struct BrokenTodoTaskStore: TodoTaskStore {
    let base: any TodoTaskStore
    let fault: StorageFault

    func all(ofAccount accountID: Int64) async throws -> [TodoTask] {
        try await base.all(ofAccount: accountID)
    }

    func find(_ id: Int64, accountID: Int64) async throws -> TodoTask? {
        guard fault == .forgetsTimesOfChanges else {
            return try await base.find(id, accountID: 1)
        }
        return try await base.find(id, accountID: accountID).map { task in
            TodoTask(
                id: task.id,
                accountID: task.accountID,
                title: task.title,
                isCompleted: task.isCompleted,
                createdAt: task.createdAt,
                updatedAt: task.createdAt
            )
        }
    }

    func create(_ attributes: TodoTaskChange, accountID: Int64) async throws -> TodoTask {
        try await base.create(attributes, accountID: accountID)
    }

    func update(
        _ id: Int64,
        accountID: Int64,
        if precondition: Precondition<TodoTask>?,
        _ change: TodoTaskChange
    ) async throws {
        try await base.update(id, accountID: accountID, if: precondition, change)
    }

    func delete(
        _ id: Int64,
        accountID: Int64,
        if precondition: Precondition<TodoTask>?
    ) async throws {
        try await base.delete(id, accountID: accountID, if: precondition)
    }
}

private struct BrokenSharedTaskStore: SharedTaskStore {
    let base: any SharedTaskStore

    func pending() async throws -> [SharedTask] { try await base.pending() }

    func add(_ task: SharedTask) async throws {
        let isKnown = try await base.pending().contains { $0.taskID == task.taskID }
        if !isKnown { try await base.add(task) }
    }

    func complete(taskID: Int64) async throws { try await base.complete(taskID: taskID) }
}

private struct BrokenInstallationStore: InstallationStore {
    private let counter = Counter()

    func uuid() async throws -> String {
        "8c5b04b3-9c4f-4f29-9d34-0c4c2f3b0\(await counter.next())"
    }
}

private struct BrokenCheckinStore: CheckinStore {
    let base: any CheckinStore

    func add(_ checkin: Checkin) async throws -> Int64 { try await base.add(checkin) }

    func newest(limit: Int) async throws -> [CheckinRecord] {
        try await base.newest(limit: limit)
    }

    func categories(limit: Int) async throws -> [String] {
        let all = try await base.categories(limit: 1000)
        return Array(all.sorted { $0.utf16.lexicographicallyPrecedes($1.utf16) }.prefix(limit))
    }
}

private struct BrokenTransfer: RecordTransfer {
    let base: any RecordTransfer
    let fault: StorageFault

    func importRecords<T: Sendable>(
        isRepeatable: Bool,
        _ job: @escaping @Sendable (RecordImport) throws -> T
    ) throws -> T {
        guard fault == .ignoresStrictness else {
            return try base.importRecords(isRepeatable: isRepeatable) { session in
                Result { try job(session) }
            }.get()
        }
        return try base.importRecords(isRepeatable: isRepeatable) { session in
            try job(
                RecordImport(
                    events: { records, _ in try session.store(records, isStrict: false) },
                    attendances: { records, _ in try session.store(records, isStrict: false) },
                    todoTasks: { records, _ in try session.store(records, isStrict: false) },
                    sharedTasks: { records, _ in try session.store(records, isStrict: false) },
                    checkins: { records, _ in try session.store(records, isStrict: false) }
                )
            )
        }
    }

    func exportRecords<T>(_ job: (RecordExport) throws -> T) throws -> T {
        try base.exportRecords(job)
    }
}
