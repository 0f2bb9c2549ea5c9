import Events
import Model
import Rules
import Time
import Words

/// The devices, identities and names of users, the same for all engines.
struct SignInRecords: SignInStore {
    let database: any SharedDatabase
    let limits: UserLimits
    let blockedWords: WordList

    // MARK: - Devices

    func devices(of token: TokenDigest) async throws -> [Device]? {
        try await database.read { session in
            guard let user = try session.reader(with: token) else { return nil }
            return try session.devices(of: user, current: token)
        }
    }

    func devices(ofUser id: Int64) async throws -> [Device] {
        try await database.read { session in
            try session.devices(of: session.user(id).id, current: nil)
        }
    }

    func renameDevice(
        _ id: Int64,
        to name: String?,
        by token: TokenDigest
    ) async throws -> Bool? {
        try await database.transaction { session in
            guard let user = try session.livingUser(with: token) else { return nil }
            return try !session.integers(.renameDevice, user.id, id, name).isEmpty
        }
    }

    func endDevice(_ id: Int64?, by token: TokenDigest) async throws -> Bool? {
        try await database.transaction { session in
            guard let user = try session.user(with: token), let current = try session.token(token)
            else { return nil }
            return try session.endDevice(id ?? current.id, of: user.id)
        }
    }

    func rotate(_ token: TokenDigest, to successor: TokenDigest) async throws -> Int64? {
        let now = Timestamp.now().milliseconds
        return try await database.transaction { session in
            guard let user = try session.livingUser(with: token),
                let current = try session.token(token)
            else { return nil }
            try session.noteUse(of: current, on: now / SignInLimits.dayMilliseconds)
            try session.run(.endUnused, current.id, user.id)
            try session.run(.addSuccessor, current.id, successor, now)
            try session.run(.endLater, current.id, now + SignInLimits.rotationMilliseconds)
            try session.touchBlock(of: user.id)
            return user.id
        }
    }

    func noteUse(of token: TokenDigest, on day: Int64) async throws {
        let isNews = try await database.read { session in
            try session.token(token).map { $0.replaces != nil || $0.lastSeenOn < day } ?? false
        }
        guard isNews else { return }
        try await database.transaction { session in
            if let token = try session.token(token) { try session.noteUse(of: token, on: day) }
        }
    }

    func revokeTokens(of user: Int64, device: Int64?, by actor: String) async throws {
        let now = Timestamp.now()
        try await database.transaction { session in
            let user = try session.user(user).id
            if let device {
                guard try session.endDevice(device, of: user) else { throw ModelError.notFound }
            } else {
                try session.run(.endAll, user)
                try session.touchBlock(of: user)
            }
            let change = AuditedChange(userID: user)
            try session.addAction(.revoke, "user", user, change, actor, at: now)
        }
    }

    // MARK: - Identities

    func identities(of token: TokenDigest) async throws -> [UserIdentity]? {
        try await database.read { session in
            guard let user = try session.reader(with: token) else { return nil }
            return try session.identities(of: user)
        }
    }

    func identities(ofUser id: Int64) async throws -> [UserIdentity] {
        try await database.read { session in try session.identities(of: session.user(id).id) }
    }

    func userID(of identity: Identity) async throws -> Int64? {
        try await database.read { session in try session.owner(of: identity)?.userID }
    }

    func add(_ identity: Identity, by token: TokenDigest) async throws -> Int64? {
        let now = Timestamp.now().milliseconds
        return try await database.transaction { session in
            guard let user = try session.livingUser(with: token) else { return nil }
            if let owner = try session.owner(of: identity) {
                guard owner.userID == user.id else { throw ModelError.foreignIdentity }
                return owner.id
            }
            guard try session.identities(of: user.id).count < SignInLimits.identities else {
                throw ModelError.tooManyIdentities
            }
            guard let id = try session.add(identity, of: user.id, at: now) else {
                throw ModelError.foreignIdentity
            }
            return id
        }
    }

    func removeIdentity(_ id: Int64, by token: TokenDigest) async throws -> Bool? {
        try await database.transaction { session in
            guard let user = try session.livingUser(with: token) else { return nil }
            // An identity makes a ban last.
            if user.isBanned { throw ModelError.banned }
            let identities = try session.identities(of: user.id)
            if identities.map(\.id) == [id] { throw ModelError.lastIdentity }
            return try !session.integers(.removeIdentity, user.id, id).isEmpty
        }
    }

    // MARK: - Names

    func rename(_ name: String?, by token: TokenDigest) async throws -> Bool {
        let words = name.map(blockedWords.matches) ?? []
        return try await database.transaction { session in
            guard let user = try session.user(with: token) else { return false }
            if user.isBanned { throw ModelError.banned }
            try session.rename(user.id, to: name, reporting: words)
            return true
        }
    }

    func rename(_ user: Int64, to name: String?, by actor: String) async throws {
        try await database.transaction { session in
            let user = try session.user(user)
            if user.isDeleted { throw ModelError.notFound }
            try session.rename(user.id, to: name)
            let change = AuditedChange(userID: user.id)
            try session.addAction(.rename, "user", user.id, change, actor, at: .now())
        }
    }
}

/// A token as sign-ins read it.
struct KnownToken {
    let id: Int64
    let userID: Int64
    /// The token that ends once this one is used.
    let replaces: Int64?
    let lastSeenOn: Int64

    fileprivate init(_ row: SharedRow) {
        id = row.integer(0)
        userID = row.integer(1)
        replaces = row.optionalInteger(2)
        lastSeenOn = row.integer(3)
    }
}

extension ModelError {
    fileprivate static let foreignIdentity = ModelError.conflict(
        "This sign-in belongs to another user."
    )
    fileprivate static let lastIdentity = ModelError.conflict(
        "This is the user's only sign-in. Add another one first, or delete the account."
    )
    fileprivate static let tooManyIdentities = ModelError.invalid([
        AttributeError(
            "Identities",
            Violation(predicate: "are too many (maximum is \(SignInLimits.identities))")
        )
    ])
}

extension SharedSession {
    /// Returns the id of the user with a token, without a lock, unless the user was deleted.
    fileprivate func reader(with token: TokenDigest) throws -> Int64? {
        let user = try integers(.userToRead, token, count: 3).first.map(ModeratedUser.init)
        return user.flatMap { $0.isDeleted ? nil : $0.id }
    }

    /// Returns a token that has not ended.
    func token(_ digest: TokenDigest) throws -> KnownToken? {
        try integers(.token, digest, count: 4).first
            .map(KnownToken.init)
    }

    fileprivate func devices(of user: Int64, current: TokenDigest?) throws -> [Device] {
        try rows(
            .devices,
            user,
            current?.bytes ?? [],
            Timestamp.now().milliseconds,
            kinds: .integers(4) + [.text]
        ).map { row in
            Device(
                id: row.integer(0),
                name: row.optionalText(4),
                createdAt: Timestamp(milliseconds: row.integer(1)),
                lastSeenOn: row.optionalInteger(2),
                isCurrent: row.integer(3) == 1
            )
        }
    }

    fileprivate func endDevice(_ id: Int64, of user: Int64) throws -> Bool {
        let ended = try integers(.endDevice, user, id)
        if !ended.isEmpty { try touchBlock(of: user) }
        return !ended.isEmpty
    }

    /// Stores the day of a token's use, and ends the token that it replaces.
    func noteUse(of token: KnownToken, on day: Int64) throws {
        if let former = token.replaces { try run(.endToken, former) }
        try run(.noteUse, token.id, day)
        if token.replaces != nil { try touchBlock(of: token.userID) }
    }

    /// Lets the log tell that the tokens of a user have changed, if the user blocks others.
    func touchBlock(of user: Int64) throws {
        for row in try integers(.touchBlock, user) {
            try note(.block(of: row.integer(0), by: user))
        }
    }

    func identities(of user: Int64) throws -> [UserIdentity] {
        try rows(.identities, user, kinds: [.integer, .integer, .text]).map { row in
            UserIdentity(
                id: row.integer(0),
                issuer: row.text(2),
                createdAt: Timestamp(milliseconds: row.integer(1))
            )
        }
    }

    /// Returns the user with an identity, and the id of the identity.
    func owner(of identity: Identity) throws -> (userID: Int64, id: Int64)? {
        try integers(
            .identityOwner,
            identity.issuer,
            identity.subject,
            count: 2
        ).first.map { ($0.integer(0), $0.integer(1)) }
    }

    /// Stores an identity, and returns its id; nil if another transaction has just stored it.
    func add(_ identity: Identity, of user: Int64, at now: Int64) throws -> Int64? {
        try integer(.addIdentity, user, identity.issuer, identity.subject, now)
    }

    /// Changes a user's name, and stores a report of the blocked words in it.
    fileprivate func rename(
        _ user: Int64,
        to name: String?,
        reporting words: [String] = []
    ) throws {
        try run(.rename, user, name)
        try note(.user(user))
        guard !words.isEmpty else { return }
        try run(.reportName, user, words.joined(separator: ", "), Timestamp.now().milliseconds)
    }
}
