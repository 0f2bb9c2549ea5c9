import Model
import Rules
package import System
import Time

/// The codes of events, the same for all engines.
struct InvitationRecords: InvitationStore {
    let database: any SharedDatabase

    func add(
        _ code: TokenDigest,
        toEvent event: Int64,
        ownerID: Int64,
        replaces: Bool
    ) async throws {
        try await database.transaction { session in
            try session.requireEvent(event, ownedBy: ownerID)
            if replaces { try session.run(InvitationStatements.close, event) }
            let count = try session.integers(InvitationStatements.count, event).first
            guard count?.integer(0) ?? 0 < ModelError.mostInvitations else {
                throw ModelError.tooManyInvitations
            }
            _ = try session.create(
                InvitationStatements.creation,
                InvitationColumn.allCases.map { column in
                    switch column {
                    case .id: .null
                    case .eventID: .integer(event)
                    case .codeDigest: .bytes(code.bytes)
                    case .createdAt: .time(.now())
                    }
                }
            )
        }
    }

    func closeAll(ofEvent event: Int64, ownerID: Int64) async throws {
        try await database.transaction { session in
            try session.requireEvent(event, ownedBy: ownerID)
            try session.run(InvitationStatements.close, event)
        }
    }

    func join(
        _ code: TokenDigest,
        eventID: Int64?,
        userID: Int64
    ) async throws -> Attendance {
        let digest = SharedValue.bytes(code.bytes)
        let row = try await database.rows(InvitationStatements.event, [digest], [.integer]).first
        guard let invited = row?.integer(0), eventID == nil || eventID == invited else {
            throw ModelError.notFound
        }
        let creation = AttendanceStatements.join
        return try await database.attendance(of: userID, at: invited, orBy: creation, digest)
    }
}

extension SharedSession {
    /// Locks a user's own event, so that no other transaction adds or counts codes.
    ///
    /// Throws `ModelError.notFound` if the user can't see it, and `.forbidden` if another user owns
    /// it.
    fileprivate func requireEvent(_ id: Int64, ownedBy user: Int64) throws {
        let rows = try integers(InvitationStatements.lock, id, user)
        guard let owner = rows.first else { throw ModelError.notFound }
        guard owner.integer(0) == user else { throw ModelError.forbidden }
    }
}

/// The statements about the codes of events, which both engines understand.
package enum InvitationStatements {
    /// Locks an event that the user $2 can see, and returns its owner.
    static let lock = SharedSQL(
        """
        SELECT owner_id FROM events
        WHERE events.id = $1 AND \(AttendanceStatements.eventIsVisible) FOR UPDATE
        """
    )
    static let creation = RecordCreation(in: .invitations)
    static let count: SharedSQL = "SELECT count(*) FROM invitations WHERE event_id = $1"
    static let close: SharedSQL = "DELETE FROM invitations WHERE event_id = $1"
    static let event: SharedSQL = "SELECT event_id FROM invitations WHERE code_digest = $1"

    package static let all: [SQL] = [lock, creation.sql, count, close, event].map(\.postgresql)
}
