/// The records of the admin API.
extension Schema {
    /// A user; a list has only the first members.
    static let user = Schema.object(
        required: ["id", "created_at", "banned_at"],
        [
            "id": .recordID, "created_at": .time, "banned_at": .time.orNull, "deleted_at": .time,
            "merged_into": .recordID, "name": .text(),
            "events": .integer(from: 0), "attendances": .integer(from: 0),
            "reports_about": .integer(from: 0), "reports_by": .integer(from: 0),
            "blocked_by": .integer(from: 0),
        ]
    ).named("User")

    /// A report; that of the list of words has no reporter.
    static let report = Schema.object(
        required: ["id", "reason", "note", "at", "reporter"],
        [
            "id": .recordID, "reason": .text(), "note": .text().orNull, "at": .time,
            "reporter": Schema.identified.orNull, "resolved_at": .time, "outcome": .text().orNull,
        ]
    ).named("Report")

    /// A record with its open reports.
    static let reportedRecord = Schema.object(
        required: ["kind", "id", "since", "reporters", "reasons", "latest"],
        [
            "kind": .text(oneOf: ["event", "user"]), "id": .recordID, "since": .time,
            "reporters": .integer(from: 1),
            "reasons": Schema.anyObject.with("additionalProperties", Schema.integer(from: 1).node),
            "latest": .report, "event": .moderatedEvent,
        ]
    ).named("ReportedRecord")

    /// An action in the audit; its values are purged after some time.
    static let action = Schema.object(
        required: ["id", "actor", "at", "action", "kind", "record", "before", "after", "can_undo"],
        [
            "id": .recordID, "actor": .text(), "at": .time, "action": .text(), "kind": .text(),
            "record": Schema.id(from: 0).orNull, "before": .any, "after": .any,
            "can_undo": .boolean, "undone_by": .recordID,
        ]
    ).named("Action")
}
