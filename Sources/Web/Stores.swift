package import Model

/// The stores of the application, independent of the database.
package struct Stores: Sendable {
    let users: any UserStore
    let events: any EventStore
    let attendances: any AttendanceStore
    let accounts: any AccountStore
    let todoTasks: any TodoTaskStore
    let sharedTasks: any SharedTaskStore
    let checkins: any CheckinStore

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
