import Events
import Model
import Rules
import Time

extension SignInRecords {
    func signIn(_ signIn: SignIn) async throws -> SignInOutcome {
        let limits = limits
        var events: OwnedEvents?
        for _ in 0..<Self.mostAttempts {
            do {
                let known = events
                let step = try await database.transaction { session in
                    try session.signIn(signIn, known, limits)
                }
                switch step {
                case .ended(let outcome): return outcome
                case .needsEvents(let user, let last):
                    events = OwnedEvents(user, try await listedEvents(of: user), upTo: last)
                }
            } catch ModelError.conflict(SignInStep.race) {
                // Another transaction has just stored the identity, so its user is known now.
            }
        }
        throw ModelError.overloaded(reason: "Too many sign-ins are waiting. Try again in a moment.")
    }

    /// How often a sign-in begins again at most because another one was quicker.
    private static let mostAttempts = 4

    func merge(_ user: Int64, into other: Int64, by actor: String) async throws {
        let last = try await database.read { session in try session.lastEvent() }
        let events = OwnedEvents(user, try await listedEvents(of: user), upTo: last)
        try await database.transaction { session in
            // In the order of their ids, so that two merges don't wait for each other.
            let users = try [min(user, other), max(user, other)].map { try session.user($0) }
            guard user != other, !users.contains(where: \.isDeleted) else {
                throw ModelError.notFound
            }
            if users.contains(where: \.isBanned) { throw ModelError.banned }
            try session.merge(user, into: other, events)
            let change = AuditedChange(userID: other)
            try session.addAction(.merge, "user", user, change, actor, at: .now())
        }
    }

    /// Returns the ids of a user's events if memory has them; otherwise the transaction finds them.
    private func listedEvents(of user: Int64) async throws -> [Int64]? {
        database.searchesInMemory ? try await database.events().eventIDs(ofOwner: user) : nil
    }
}

/// The events of a user, which were listed before the transaction.
private struct OwnedEvents {
    let owner: Int64
    /// The ids; nil if the transaction must find them.
    let ids: [Int64]?
    /// The greatest id of all events before they were listed.
    let last: Int64

    /// The number of ids that transactions may have taken and not used yet.
    private static let margin: Int64 = 10_000

    init(_ owner: Int64, _ ids: [Int64]?, upTo last: Int64) {
        self.owner = owner
        self.ids = ids
        self.last = last
    }

    /// The first id that an event may have that is not listed.
    var firstLate: Int64 { last - min(last, Self.margin) }
}

/// The result of a transaction of a sign-in.
private enum SignInStep {
    case ended(SignInOutcome)
    /// It needs the events of a user, which are listed first because the schema has no index of
    /// owners.
    case needsEvents(of: Int64, lastEvent: Int64)

    /// The message of the error after which the transaction is repeated.
    static let race = "Another sign-in was quicker."
}

extension SharedSession {
    fileprivate func signIn(
        _ signIn: SignIn,
        _ events: OwnedEvents?,
        _ limits: UserLimits
    ) throws -> SignInStep {
        // In the order of their ids, so that two sign-ins don't wait for each other. A deletion
        // that was quicker is visible then.
        let token = try signIn.present.flatMap { try self.token($0) }
        let known = try [owner(of: signIn.identity)?.userID, token?.userID].compactMap(\.self)
        for id in Set(known).sorted() { _ = try user(id) }
        let owner = try owner(of: signIn.identity)?.userID
        if let token, token.replaces != nil {
            try noteUse(of: token, on: Timestamp.now().milliseconds / SignInLimits.dayMilliseconds)
        }
        guard let digest = signIn.present, let device = try user(with: digest) else {
            return .ended(try newDevice(signIn, of: owner, limits))
        }
        if device.id == owner {
            return .ended(.done(.signedIn, .present, userID: device.id))
        }
        if try !identities(of: device.id).isEmpty {
            return .ended(try newDevice(signIn, of: owner, limits))
        }
        guard let owner else {
            try link(signIn, to: device.id)
            try renameDevice(signIn)
            return .ended(.done(.linked, .present, userID: device.id))
        }
        guard let events, events.owner == device.id else {
            return .needsEvents(of: device.id, lastEvent: try lastEvent())
        }
        return .ended(try moveDevice(signIn, device, to: owner, events, limits))
    }

    /// Signs in a device whose user has no identity as the user of an identity.
    private func moveDevice(
        _ signIn: SignIn,
        _ device: ModeratedUser,
        to owner: Int64,
        _ events: OwnedEvents,
        _ limits: UserLimits
    ) throws -> SignInOutcome {
        let attendances = try integers(.attendanceCount, device.id)
        let records = DeviceRecords(
            userID: device.id,
            events: Int64(try ids(of: events).count),
            attendances: attendances.first?.integer(0) ?? 0
        )
        let hasOthers = try !integers(.otherRecords, device.id).isEmpty
        let isEmpty = records.events == 0 && records.attendances == 0 && !hasOthers
        if !isEmpty {
            guard let merge = signIn.merge else { return .undecided(records, userID: owner) }
            if !merge { return try newDevice(signIn, of: owner, limits) }
            if try device.isBanned || user(owner).isBanned { throw ModelError.banned }
            guard records.events + records.attendances <= SignInLimits.mergedRecords else {
                throw ModelError.tooManyMerged(device.id, owner)
            }
        }
        try merge(device.id, into: owner, events)
        try renameDevice(signIn)
        let token = try signIn.present.flatMap { try self.token($0) }
        try endExcess(of: owner, except: token?.id, limits)
        return .done(isEmpty ? .signedIn : .merged, .present, userID: owner)
    }

    /// Signs in a device with a token of its own, as this user or as a new one.
    private func newDevice(
        _ signIn: SignIn,
        of owner: Int64?,
        _ limits: UserLimits
    ) throws -> SignInOutcome {
        let now = Timestamp.now().milliseconds
        var id = owner
        if id == nil {
            id = try integer(.addUser, now)
        }
        guard let user = id else { throw ModelError.storage(cause: "a new user has no id") }
        if owner == nil { try link(signIn, to: user) }
        let made = signIn.deviceToken ?? signIn.newToken
        try run(.deleteEnded, user, made, now)
        try run(.adoptSuccessors, user)
        let isTaken = try !integers(.isTaken, made).isEmpty
        let digest = isTaken ? signIn.newToken : made
        let token = try integer(
            .addToken,
            user,
            digest,
            signIn.deviceName,
            now,
            now / SignInLimits.dayMilliseconds
        )
        try endExcess(of: user, except: token, limits)
        try touchBlock(of: user)
        return .done(
            owner == nil ? .created : .signedIn,
            digest == signIn.newToken ? .new : .deviceToken,
            userID: user
        )
    }

    /// Ends the tokens of a user that were used least recently, if there are too many.
    private func endExcess(of user: Int64, except token: Int64?, _ limits: UserLimits) throws {
        try run(.endExcess, user, token ?? 0, limits.devices)
    }

    private func link(_ signIn: SignIn, to user: Int64) throws {
        let now = Timestamp.now().milliseconds
        guard try add(signIn.identity, of: user, at: now) != nil else {
            throw ModelError.conflict(SignInStep.race)
        }
    }

    /// Gives the device that signs in its name, if it has sent one.
    private func renameDevice(_ signIn: SignIn) throws {
        guard let name = signIn.deviceName, let digest = signIn.present,
            let token = try token(digest)
        else { return }
        _ = try integers(.renameDevice, token.userID, token.id, name)
    }

    fileprivate func lastEvent() throws -> Int64 {
        try integer(.lastEvent) ?? 0
    }

    /// Returns the ids of a user's events, also of those that were created since they were listed.
    private func ids(of events: OwnedEvents) throws -> [Int64] {
        let owner = SharedValue.integer(events.owner)
        guard let listed = events.ids else {
            return try integers(.eventsOfOwner, owner).map { $0.integer(0) }
        }
        let late = try integers(.lateEvents, owner, events.firstLate)
        return Set(listed).union(late.map { $0.integer(0) }).sorted()
    }

    /// Moves everything of a user to another one; the first one is nobody afterwards.
    fileprivate func merge(_ user: Int64, into other: Int64, _ events: OwnedEvents) throws {
        let now = SharedValue.integer(Timestamp.now().milliseconds)
        let pair = (SharedValue.integer(user), SharedValue.integer(other))
        try moveEvents(ids(of: events), ofOwner: user, to: other)
        for sql in [SharedSQL.deleteDoubleAttendances, SharedSQL.moveAttendances] {
            try noteAttendances(integers(sql, pair.0, pair.1, count: 3))
        }
        for sql in [SharedSQL.deleteDoubleBlocks, SharedSQL.moveBlocks] {
            for row in try integers(sql, pair.0, pair.1, count: 2) {
                try note(.block(of: row.integer(1), by: row.integer(0)))
            }
        }
        // As a new block does.
        for sql in [SharedSQL.endOwnAttendances, SharedSQL.endGuests] {
            try noteAttendances(integers(sql, pair.1, count: 3))
        }
        try note(.block(of: other, by: user))
        try run(.closeDoubleReports, pair.0, pair.1, now)
        for sql in [
            SharedSQL.moveReports, SharedSQL.moveReportsAbout,
            SharedSQL.moveTokens, SharedSQL.moveIdentities,
            SharedSQL.moveActions, SharedSQL.takeName,
        ] {
            try run(sql, pair.0, pair.1)
        }
        try run(.endUser, pair.0, pair.1, now)
        for id in [user, other] { try note(.user(id)) }
        try touchBlock(of: other)
    }
}

extension ModelError {
    fileprivate static func tooManyMerged(_ user: Int64, _ other: Int64) -> ModelError {
        .invalid([
            AttributeError(
                "Merge",
                Violation(
                    predicate: "moves at most \(SignInLimits.mergedRecords) records. Ask the "
                        + "operator to run humon user merge \(user) \(other)."
                )
            )
        ])
    }
}
