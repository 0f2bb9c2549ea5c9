import Events
package import Model
package import Words

extension Stores {
    /// Creates the stores of a database, of which users and events have an implementation for each
    /// engine.
    package init(
        _ database: some SharedDatabase & StoreTransactions,
        users: any UserStore,
        events: any EventStore,
        _ limits: UserLimits,
        _ blockedWords: WordList
    ) {
        let tasks = TodoTaskRecords(database: database)
        self.init(
            users: users,
            events: events,
            attendances: AttendanceRecords(database: database),
            invitations: InvitationRecords(database: database),
            accounts: AccountRecords(database: database),
            todoTasks: tasks,
            sharedTasks: SharedTaskRecords(database: database),
            checkins: CheckinRecords(database: database),
            installation: InstallationRecords(database: database),
            moderation: ModerationRecords(database: database, limits: limits),
            signIns: SignInRecords(
                database: database,
                limits: limits,
                blockedWords: blockedWords
            ),
            responses: ResponseRecords(database: database, limits: limits),
            transactions: database,
            changes: ChangeRecords(
                database: database,
                events: events,
                tasks: tasks,
                mostBehind: limits.changesBehind
            ),
            webhooks: WebhookRecords(database: database),
            admins: AdminRecords(database: database)
        )
    }
}
