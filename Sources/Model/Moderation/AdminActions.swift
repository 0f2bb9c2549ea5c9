package import Time

/// An action of an operator.
package enum AdminAction: String, CaseIterable, Sendable {
    case hide, show, edit, delete, ban, unban
    /// Closes the reports of an event that stays, or is shown again.
    case dismiss
    case undo
    case revoke, rename, merge
    /// Makes an invitation code of an event, or closes all of them.
    case invite
    case closeInvitations = "close-invitations"
    /// Changes a webhook, or prints its secret.
    case add, remove, secret, rotate, resume, skip
    case resetPassword = "reset-password"
    case signIn = "sign-in"
    case signOut = "sign-out"
    /// Changes an admin, or adds a token for programs.
    case disable, enable, token
    /// Gives the log of changes another identity.
    case renew
    case backUp = "back-up"
    case download
}

/// A row of the audit: an action as it was done.
package struct DoneAction: Equatable, Sendable {
    package let id: Int64
    /// Who did it, such as `cli:ana`.
    package let actor: String
    package let at: Timestamp
    package let action: String
    /// `event`, `user`, `account`, `webhook`, `admin`, `backup` or `log`.
    package let kind: String
    package let recordID: Int64?
    /// JSON of the values before and after; nil once they are purged.
    package let before: String?
    package let after: String?
    /// The action that has undone this one.
    package var undoneBy: Int64?

    /// Returns whether it can be undone, unless its record has changed since.
    package func canUndo(at now: Timestamp) -> Bool {
        undoneBy == nil && action != AdminAction.undo.rawValue && before != nil && record != nil
            && now.milliseconds - at.milliseconds < UserLimits.undoMilliseconds
    }

    /// The event or the user of the action; nil for others.
    package var record: ReportedRecord? {
        recordID.flatMap { id in
            [ReportedRecord.event(id), .user(id)].first { $0.noun == kind }
        }
    }

    package init(
        id: Int64,
        actor: String,
        at: Timestamp,
        action: String,
        kind: String,
        recordID: Int64?,
        before: String?,
        after: String?,
        undoneBy: Int64?
    ) {
        self.id = id
        self.actor = actor
        self.at = at
        self.action = action
        self.kind = kind
        self.recordID = recordID
        self.before = before
        self.after = after
        self.undoneBy = undoneBy
    }
}

/// A user as an operator sees it.
package struct ListedUser: Equatable, Sendable {
    package let id: Int64
    package let createdAt: Timestamp
    package let bannedAt: Timestamp?
    package let deletedAt: Timestamp?
    /// The user that a merge has kept instead of this one; nil for others.
    package let survivorID: Int64?

    package init(
        id: Int64,
        createdAt: Timestamp,
        bannedAt: Timestamp?,
        deletedAt: Timestamp?,
        survivorID: Int64?
    ) {
        self.id = id
        self.createdAt = createdAt
        self.bannedAt = bannedAt
        self.deletedAt = deletedAt
        self.survivorID = survivorID
    }
}

/// A user as an operator sees it, with how much there is of and about the user.
package struct UserDetails: Equatable, Sendable {
    package let user: ListedUser
    package let name: String?
    package let counts: Counts

    /// The numbers of records, each up to `RecordTotals.mostCounted`.
    package struct Counts: Equatable, Sendable {
        package let events: Int64
        package let attendances: Int64
        package let reportsAbout: Int64
        package let reportsBy: Int64
        /// The number of users who block the user.
        package let blockedBy: Int64

        package init(
            events: Int64,
            attendances: Int64,
            reportsAbout: Int64,
            reportsBy: Int64,
            blockedBy: Int64
        ) {
            self.events = events
            self.attendances = attendances
            self.reportsAbout = reportsAbout
            self.reportsBy = reportsBy
            self.blockedBy = blockedBy
        }
    }

    package init(user: ListedUser, name: String?, counts: Counts) {
        self.user = user
        self.name = name
        self.counts = counts
    }
}

/// How much is stored, as an overview for operators.
package struct RecordTotals: Equatable, Sendable {
    /// The number up to which records are counted.
    package static let mostCounted: Int64 = 10_000

    package let events: Int
    /// Exact up to `mostCounted`, and else the greatest id; likewise attendances and accounts.
    package let users: Int64
    package let attendances: Int64
    package let accounts: Int64
    package let hiddenEvents: Int64
    package let reports: ReportTotals

    package init(
        events: Int,
        users: Int64,
        attendances: Int64,
        accounts: Int64,
        hiddenEvents: Int64,
        reports: ReportTotals
    ) {
        self.events = events
        self.users = users
        self.attendances = attendances
        self.accounts = accounts
        self.hiddenEvents = hiddenEvents
        self.reports = reports
    }
}

/// A record whose owner's data was deleted, as `humon deletions` lists it.
package enum Deletion: Equatable, Sendable {
    case user(Int64)
    case account(Int64)

    /// The line of a list, such as `user 3`.
    package var text: String {
        switch self {
        case .user(let id): "user \(id)"
        case .account(let id): "account \(id)"
        }
    }

    /// Reads a line of a list; returns nil for other texts.
    package init?(_ line: String) {
        let words = line.split(separator: " ")
        guard words.count == 2, let id = Int64(words[1]), id > 0 else { return nil }
        switch words[0] {
        case "user": self = .user(id)
        case "account": self = .account(id)
        default: return nil
        }
    }
}
