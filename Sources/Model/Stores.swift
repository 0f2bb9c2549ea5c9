/// Looks at a record as it is when it is about to be changed, and throws to leave it as it is.
package typealias Precondition<Record: Sendable> = @Sendable (Record) throws -> Void

/// Keeps users and finds them by the digest of their token.
///
/// Every function throws `ModelError.unavailable` or `.storage` where the storage fails, and a
/// write `.overloaded` where too many wait. A write returns only once it is durable.
package protocol UserStore: Sendable {
    /// The user whose token has this digest.
    func find(token: TokenDigest) async throws -> User?

    /// A new user with this token; throws `ModelError.invalid` if the token is taken.
    func create(token: TokenDigest) async throws -> User

    /// The user with this token, made if there is none; simultaneous calls give one user.
    func findOrCreate(token: TokenDigest) async throws -> User

    /// Makes the user's token useless; throws `ModelError.notFound` if there is no such user.
    func revokeToken(of id: Int64) async throws
}

/// Keeps events and answers what is near a point.
///
/// Failures are as in `UserStore`.
package protocol EventStore: Sendable {
    func find(_ id: Int64) async throws -> Event?

    /// The events within `radius` km of `origin`, inclusive, nearest first and ties by id; at most
    /// the `limit` nearest. The distance is the great circle's on a sphere of 6371.0 km.
    ///
    /// Costs O(log n + m) for n events and m results, whatever the radius.
    func nearest(to origin: Coordinate, within radius: Double, limit: Int) async throws -> [Event]

    /// Stores a new event of the user with this token and returns its id; nil, with nothing stored,
    /// if no user has the token when the event is stored.
    func create(_ attributes: EventAttributes, token: TokenDigest) async throws -> Int64?

    /// Replaces the attributes of the user's own event by what `change` makes of them, in one
    /// transaction; what `change` throws is thrown and nothing is changed.
    ///
    /// Throws `ModelError.notFound` or, if the event is another user's, `.forbidden`, or what
    /// `precondition` throws, in this order and before `change` is called.
    func update(
        _ id: Int64,
        ownerID: Int64,
        if precondition: Precondition<Event>?,
        change: @escaping @Sendable (EventAttributes) throws -> EventAttributes
    ) async throws

    /// Deletes the user's own event with its attendances; throws as `update` does.
    func delete(_ id: Int64, ownerID: Int64, if precondition: Precondition<Event>?) async throws
}

/// Keeps who will be where.
///
/// Failures are as in `UserStore`.
package protocol AttendanceStore: Sendable {
    /// The user's attendance of this event, made if there is none; simultaneous calls give one.
    /// Throws `ModelError.notFound` if there is no such event.
    func findOrCreate(userID: Int64, eventID: Int64) async throws -> Attendance

    /// Deletes the user's own attendance; throws `ModelError.notFound`, or `.notFound` too if it
    /// is another user's, so that nobody can probe for them, and then what `precondition` throws.
    func delete(_ id: Int64, userID: Int64, if precondition: Precondition<Attendance>?) async throws

    /// The attendances of an event, oldest first; nil if there is no such event.
    func all(ofEvent id: Int64) async throws -> [Attendance]?
}

/// Keeps the one list that all MyTasks apps share.
///
/// Failures are as in `UserStore`.
package protocol SharedTaskStore: Sendable {
    /// The tasks that are not completed, in the order in which they were added; O(n).
    func pending() async throws -> [SharedTask]

    /// Adds a task, also if others have the same id.
    func add(_ task: SharedTask) async throws

    /// Completes every pending task with this id.
    func complete(taskID: Int64) async throws
}

/// Keeps check-ins.
///
/// Failures are as in `UserStore`.
package protocol CheckinStore: Sendable {
    func add(_ checkin: Checkin) async throws

    /// The newest check-ins, `limit` at most, the oldest of them first.
    func newest(limit: Int) async throws -> [StoredCheckin]

    /// The categories in use, sorted by their code points, `limit` at most.
    func categories(limit: Int) async throws -> [String]
}

/// Keeps the accounts of Todo, and who is signed in.
///
/// Failures are as in `UserStore`.
package protocol AccountStore: Sendable {
    /// The id of the account that the token with this digest is signed in to.
    func findID(token: TokenDigest) async throws -> Int64?

    /// The account with this address.
    func find(email: EmailAddress) async throws -> AccountCredentials?

    /// A new account, signed in to with this token; throws `NewAccount.emailIsTaken` if another
    /// has its address.
    func create(
        _ account: NewAccount,
        passwordHash: String,
        token: TokenDigest
    ) async throws -> Account

    /// Signs in to an account with a new token, and out with all earlier ones.
    ///
    /// - Parameters:
    ///   - credentials: The account, with the hash that the person's password has matched.
    ///   - token: The digest of the new token.
    ///   - renewedHash: What replaces the hash; nil to keep it.
    /// - Throws: As all functions here do.
    /// - Returns: Whether the account still had this hash; if not, nothing has changed.
    func signIn(
        to credentials: AccountCredentials,
        token: TokenDigest,
        renewedHash: String?
    ) async throws -> Bool

    /// Signs out with this token; false if it was signed in to no account.
    func signOut(token: TokenDigest) async throws -> Bool
}

/// Keeps the tasks of Todo; each belongs to one account, and no other account can tell that it
/// exists.
///
/// Failures are as in `UserStore`.
package protocol TodoTaskStore: Sendable {
    /// The tasks of an account in the order of their ids; O(n).
    func all(ofAccount accountID: Int64) async throws -> [TodoTask]

    /// The account's own task.
    func find(_ id: Int64, accountID: Int64) async throws -> TodoTask?

    /// A new task of an account; its title is empty and it is not completed unless `attributes` say
    /// otherwise.
    func create(_ attributes: TodoTaskChange, accountID: Int64) async throws -> TodoTask

    /// Changes the account's own task; throws `ModelError.notFound` if there is no such task, or
    /// what `precondition` throws, and changes nothing then.
    func update(
        _ id: Int64,
        accountID: Int64,
        if precondition: Precondition<TodoTask>?,
        _ change: TodoTaskChange
    ) async throws

    /// Deletes the account's own task; throws as `update` does.
    func delete(_ id: Int64, accountID: Int64, if precondition: Precondition<TodoTask>?)
        async throws
}
