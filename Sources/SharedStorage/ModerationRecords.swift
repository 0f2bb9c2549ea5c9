import Events
import Model
import Rules
import Time

/// The functions of moderation, the same for all engines.
struct ModerationRecords: ModerationStore {
    let database: any SharedDatabase
    let limits: UserLimits
}

/// A user as moderation reads it.
struct ModeratedUser {
    let id: Int64
    let isBanned: Bool
    let isDeleted: Bool

    init(_ row: SharedRow) {
        id = row.integer(0)
        isBanned = row.optionalInteger(1) != nil
        isDeleted = row.optionalInteger(2) != nil
    }
}

/// An event as moderation reads it.
struct ModeratedEvent {
    let id: Int64
    let ownerID: Int64
    let hidden: HidingCause?
    /// ms since 1970.
    let updatedAt: Int64

    init(_ id: Int64, _ row: SharedRow) {
        self.id = id
        ownerID = row.integer(0)
        hidden = HidingCause(rawValue: row.integer(1))
        updatedAt = row.integer(2)
    }
}

extension SharedSession {
    /// Returns the user with a token, and locks the user's row.
    func user(with token: TokenDigest) throws -> ModeratedUser? {
        try integers(.userWithToken, token, count: 3).first
            .map(ModeratedUser.init)
    }

    /// Returns the user with a token, unless the user's data was deleted and only a ban is left.
    func livingUser(with token: TokenDigest) throws -> ModeratedUser? {
        try user(with: token).flatMap { $0.isDeleted ? nil : $0 }
    }

    /// Returns the event with this id; nil if it doesn't exist.
    func eventIfAny(_ id: Int64) throws -> ModeratedEvent? {
        do {
            return try event(id)
        } catch ModelError.notFound {
            return nil
        }
    }

    /// Returns the user with this id, and locks the user's row.
    func user(_ id: Int64) throws -> ModeratedUser {
        let row = try integers(.user, id, count: 3).first
        guard let row else { throw ModelError.notFound }
        return ModeratedUser(row)
    }

    /// Returns the event with this id, and locks its row.
    func event(_ id: Int64) throws -> ModeratedEvent {
        let row = try integers(.event, id, count: 3).first
        guard let row else { throw ModelError.notFound }
        return ModeratedEvent(id, row)
    }

    /// Returns an event that a user can see; blocks don't count.
    func event(_ id: Int64, visibleTo user: Int64) throws -> ModeratedEvent {
        let row = try integers(.visibleEvent, id, user, count: 3).first
        guard let row else { throw ModelError.notFound }
        return ModeratedEvent(id, row)
    }

    /// Hides an event, or shows it if the cause is nil.
    func set(_ hidden: HidingCause?, _ event: ModeratedEvent) throws {
        try run(.setHidden, event.id, hidden?.rawValue ?? 0)
        try note(.event(event.id, owner: event.ownerID, wasHidden: event.hidden != nil))
    }

    /// Changes the cause of those of an owner's events that have another one.
    func set(_ hidden: HidingCause?, from former: HidingCause?, ofOwner owner: Int64) throws {
        let changed = try integers(
            .setHiddenOfOwner,
            owner,
            former?.rawValue ?? 0,
            hidden?.rawValue ?? 0
        )
        for row in changed {
            try note(.event(row.integer(0), owner: owner, wasHidden: former != nil))
        }
    }

    /// Notes attendances that were deleted; the columns are the id, the user and the event.
    func noteAttendances(_ rows: [SharedRow]) throws {
        for row in rows {
            try note(
                .attendance(row.integer(0), user: row.integer(1), event: row.integer(2))
            )
        }
    }
}

extension [ColumnKind] {
    /// Kinds of this many integers.
    static func integers(_ count: Int) -> [ColumnKind] { Array(repeating: .integer, count: count) }
}
