/// The stores of the application, independent of the database.
package struct Stores: Sendable {
    package let users: any UserStore
    package let events: any EventStore
    package let attendances: any AttendanceStore
    package let accounts: any AccountStore
    package let todoTasks: any TodoTaskStore
    package let sharedTasks: any SharedTaskStore
    package let checkins: any CheckinStore

    package init(
        users: any UserStore,
        events: any EventStore,
        attendances: any AttendanceStore,
        accounts: any AccountStore,
        todoTasks: any TodoTaskStore,
        sharedTasks: any SharedTaskStore,
        checkins: any CheckinStore
    ) {
        self.users = users
        self.events = events
        self.attendances = attendances
        self.accounts = accounts
        self.todoTasks = todoTasks
        self.sharedTasks = sharedTasks
        self.checkins = checkins
    }
}
