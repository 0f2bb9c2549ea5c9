import Model
import PostgreSQL
import Rules
import Time

/// A store of the codes of events in PostgreSQL.
struct PostgreSQLInvitationStore: InvitationStore {
    let database: PostgreSQLDatabase

    func add(
        _ code: TokenDigest,
        toEvent event: Int64,
        ownerID: Int64,
        replaces: Bool
    ) async throws {
        _ = try await database.event(event, ownedBy: ownerID)
        let values = [Value.bigint(event), .bigint(ownerID)]
        let insert = Command(
            InvitationStatements.add,
            [
                .bigint(event), .bytes(code.bytes), .bigint(Timestamp.now().milliseconds),
                .bigint(ownerID), .bigint(Int64(ModelError.mostInvitations)),
            ]
        )
        let close = replaces ? [Command(InvitationStatements.close, values)] : []
        // Otherwise codes that other servers add at the same time would be neither closed nor
        // counted.
        let lock = Command(EventStatements.lock, [.bigint(event)])
        let rows = try await database.write([lock] + close + [insert])
        guard rows.last?.isEmpty != false else { return }
        _ = try await database.event(event, ownedBy: ownerID)
        throw ModelError.tooManyInvitations
    }

    func closeAll(ofEvent event: Int64, ownerID: Int64) async throws {
        _ = try await database.event(event, ownedBy: ownerID)
        try await database.perform(InvitationStatements.close, .bigint(event), .bigint(ownerID))
    }

    func join(_ code: TokenDigest, eventID: Int64?, userID: Int64) async throws -> Attendance {
        let digest = Value.bytes(code.bytes)
        let invited = try await database.first(InvitationStatements.event, digest) { row in
            try row.bigint(0)
        }
        guard let invited, eventID == nil || eventID == invited else { throw ModelError.notFound }
        let id = try await database.number(
            Command(
                AttendanceStatements.join,
                [
                    .bigint(invited), .bigint(userID), .bigint(Timestamp.now().milliseconds),
                    digest,
                ]
            ).noting(ChangeNote.attendance(of: userID, at: invited))
        )
        guard let id else { throw ModelError.notFound }
        return Attendance(id: id, userID: userID, eventID: invited)
    }
}
