/// The stores of the application, independent of the database.
package struct Stores: Sendable {
    package var users: any UserStore
    package var events: any EventStore
    package var attendances: any AttendanceStore
    package var invitations: any InvitationStore
    package var accounts: any AccountStore
    package var todoTasks: any TodoTaskStore
    package var sharedTasks: any SharedTaskStore
    package var checkins: any CheckinStore
    package var installation: any InstallationStore
    package var moderation: any ModerationStore
    package var signIns: any SignInStore
    package var responses: any ResponseStore
    package var transactions: any StoreTransactions
    package var changes: any ChangeStore
    package var webhooks: any WebhookStore
    package var admins: any AdminStore

    package init(
        users: any UserStore,
        events: any EventStore,
        attendances: any AttendanceStore,
        invitations: any InvitationStore,
        accounts: any AccountStore,
        todoTasks: any TodoTaskStore,
        sharedTasks: any SharedTaskStore,
        checkins: any CheckinStore,
        installation: any InstallationStore,
        moderation: any ModerationStore,
        signIns: any SignInStore,
        responses: any ResponseStore,
        transactions: any StoreTransactions,
        changes: any ChangeStore,
        webhooks: any WebhookStore,
        admins: any AdminStore
    ) {
        self.users = users
        self.events = events
        self.attendances = attendances
        self.invitations = invitations
        self.accounts = accounts
        self.todoTasks = todoTasks
        self.sharedTasks = sharedTasks
        self.checkins = checkins
        self.installation = installation
        self.moderation = moderation
        self.signIns = signIns
        self.responses = responses
        self.transactions = transactions
        self.changes = changes
        self.webhooks = webhooks
        self.admins = admins
    }
}

/// Checks the current state of a record, and throws to prevent its change.
package typealias Precondition<Record: Sendable> = @Sendable (Record) throws -> Void
