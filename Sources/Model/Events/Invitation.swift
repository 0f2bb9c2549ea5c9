package import Rules

/// The columns of the table of invitations.
package enum InvitationColumn: Int, TableColumns {
    case id, eventID, codeDigest, createdAt

    package var column: Column {
        switch self {
        case .id: Column("id", .integer)
        case .eventID: Column("event_id", .integer)
        case .codeDigest: Column("code_digest", .bytes)
        case .createdAt: Column("created_at", .integer)
        }
    }
}
