import Events
package import Rules

extension Table {
    /// The tables of the records, each after those to which its rows refer.
    package static let records: [Table] = [
        .users, .events, .attendances, .invitations, .sharedTasks, .checkins, .accounts, .sessions,
        .todoTasks, .reports, .blocks, .deletedAccounts, .adminActions, .userTokens, .identities,
        .idempotencyKeys, .webhooks, .admins, .adminTokens,
    ]

    /// The tables of the records that people have made.
    package static let dated: [Table] = [
        .users, .events, .attendances, .sharedTasks, .checkins, .accounts, .todoTasks,
    ]

    package static let users = Table(
        name: "users",
        columns: [
            Column("id", .integer), Column("created_at", .integer),
            Column("banned_at", .integer, isOptional: true),
            Column("deleted_at", .integer, isOptional: true),
            Column("deletion_digest", .bytes, isOptional: true),
            Column("deletion_expires_at", .integer, isOptional: true),
            Column("name", .text, isOptional: true, maximumLength: 100),
            Column("merged_into", .integer, isOptional: true),
        ]
    )
    package static let userTokens = Table(
        name: "user_tokens",
        columns: [
            Column("id", .integer), Column("user_id", .integer), Column("digest", .bytes),
            Column("name", .text, isOptional: true, maximumLength: 100),
            Column("created_at", .integer), Column("last_seen_on", .integer, isOptional: true),
            Column("replaces", .integer, isOptional: true),
            Column("ends_at", .integer, isOptional: true), Column("scope_id", .integer),
        ]
    )
    package static let identities = Table(
        name: "identities",
        columns: [
            Column("id", .integer), Column("user_id", .integer), Column("issuer", .text),
            Column("subject", .text), Column("created_at", .integer),
        ]
    )
    package static let idempotencyKeys = Table(
        name: "idempotency_keys",
        columns: [
            Column("id", .integer), Column("digest", .bytes), Column("fingerprint", .bytes),
            Column("created_at", .integer), Column("status", .integer),
            Column("fields", .text, maximumLength: 2000), Column("body", .bytes),
        ]
    )
    package static let webhooks = Table(
        name: "webhooks",
        columns: [
            Column("id", .integer), Column("url", .text, maximumLength: 2000),
            Column("salt", .bytes), Column("former_salt", .bytes, isOptional: true),
            Column("former_until", .integer, isOptional: true), Column("types", .text),
            Column("filter", .text, maximumLength: 4000), Column("batch", .integer),
            Column("allow_private", .integer), Column("epoch", .text), Column("cursor", .integer),
            Column("snapshot_id", .integer, isOptional: true),
            Column("message", .text, isOptional: true), Column("attempts", .integer),
            Column("failing_since", .integer, isOptional: true),
            Column("next_attempt_at", .integer),
            Column("last_result", .text, isOptional: true),
            Column("disabled_at", .integer, isOptional: true), Column("leased_by", .text),
            Column("leased_until", .integer), Column("created_at", .integer),
        ]
    )
    package static let admins = Table(
        name: "admins",
        columns: [
            Column("id", .integer), Column("name", .text, maximumLength: 64),
            Column("password_hash", .text), Column("created_at", .integer),
            Column("disabled_at", .integer, isOptional: true),
        ]
    )
    package static let adminTokens = Table(
        name: "admin_tokens",
        columns: [
            Column("id", .integer), Column("admin_id", .integer),
            Column("name", .text, isOptional: true, maximumLength: 100), Column("digest", .bytes),
            Column("created_at", .integer), Column("last_used_at", .integer),
            Column("expires_at", .integer),
        ]
    )
    package static let events = Table("events", EventColumn.self)
    package static let attendances = Table("attendances", AttendanceColumn.self)
    package static let invitations = Table("invitations", InvitationColumn.self)
    package static let sharedTasks = Table("shared_tasks", SharedTaskColumn.self)
    package static let checkins = Table("checkins", CheckinColumn.self)
    package static let accounts = Table("accounts", AccountColumn.self)
    package static let sessions = Table(
        name: "sessions",
        columns: [
            Column("id", .integer), Column("account_id", .integer), Column("token_digest", .bytes),
            Column("created_at", .integer),
        ]
    )
    package static let todoTasks = Table("todo_tasks", TodoTaskColumn.self)
    package static let reports = Table(
        name: "reports",
        columns: [
            Column("id", .integer), Column("kind", .integer), Column("record_id", .integer),
            Column("reporter_id", .integer), Column("reason", .text),
            Column("note", .text, isOptional: true, maximumLength: 1000),
            Column("created_at", .integer), Column("resolved_at", .integer, isOptional: true),
            Column("outcome", .text, isOptional: true),
        ]
    )
    package static let blocks = Table(
        name: "blocks",
        columns: [
            Column("id", .integer), Column("user_id", .integer), Column("blocked_id", .integer),
            Column("created_at", .integer),
        ]
    )
    package static let deletedAccounts = Table(
        name: "deleted_accounts",
        columns: [
            Column("id", .integer), Column("account_id", .integer), Column("deleted_at", .integer),
        ]
    )
    package static let adminActions = Table(
        name: "admin_actions",
        columns: [
            Column("id", .integer), Column("actor", .text), Column("at", .integer),
            Column("action", .text), Column("kind", .text),
            Column("record_id", .integer, isOptional: true),
            Column("user_id", .integer, isOptional: true),
            Column("before", .text, isOptional: true), Column("after", .text, isOptional: true),
            Column("undone_by", .integer, isOptional: true),
        ]
    )
    package static let installation = Table(
        name: "installation",
        columns: [Column("id", .integer), Column("uuid", .text)]
    )
}
