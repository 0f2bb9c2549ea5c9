import Events
package import Rules

extension Table {
    /// The tables of the records, each after those to which its rows refer.
    package static let records: [Table] = [
        .users, .events, .attendances, .invitations, .sharedTasks, .checkins, .accounts, .sessions,
        .todoTasks,
    ]

    /// The tables of the records that people have made.
    package static let dated = records.filter { $0 != sessions && $0 != invitations }

    package static let users = Table(
        name: "users",
        columns: [
            Column("id", .integer), Column("token_digest", .bytes, isOptional: true),
            Column("created_at", .integer),
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
    package static let installation = Table(
        name: "installation",
        columns: [Column("id", .integer), Column("uuid", .text)]
    )
}
