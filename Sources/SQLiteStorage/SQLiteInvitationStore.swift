import Events
import Model
import Rules
import SQLite
import System
import Time

/// A store of the codes of events in SQLite.
struct SQLiteInvitationStore: InvitationStore {
    let database: SQLiteDatabase

    func add(
        _ code: TokenDigest,
        toEvent event: Int64,
        ownerID: Int64,
        replaces: Bool
    ) async throws {
        try await database.write { connection in
            try connection.requireEvent(event, ownedBy: ownerID)
            if replaces { try connection.run(Self.close, .integer(event)) }
            let count =
                try connection.first(
                    "SELECT count(*) FROM invitations WHERE event_id = ?",
                    .integer(event)
                ) { $0.int64(0) } ?? 0
            guard count < ModelError.mostInvitations else { throw ModelError.tooManyInvitations }
            _ = try connection.insert(
                Self.insert,
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
        try await database.write { connection in
            try connection.requireEvent(event, ownedBy: ownerID)
            try connection.run(Self.close, .integer(event))
        }
    }

    func join(_ code: TokenDigest, eventID: Int64?, userID: Int64) async throws -> Attendance {
        try await database.write { connection in
            let invited = try connection.first(
                "SELECT event_id FROM invitations WHERE code_digest = ?",
                .blob(code.bytes)
            ) { $0.int64(0) }
            guard let invited, eventID == nil || eventID == invited else {
                throw ModelError.notFound
            }
            try connection.requireWelcome(userID, at: invited)
            return try connection.attendance(of: userID, at: invited)
        }
    }

    private static let insert = SQL(insertingInto: .invitations)
    private static let close: SQL = "DELETE FROM invitations WHERE event_id = ?"
}
