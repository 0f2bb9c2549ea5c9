import HTTP

/// Every controller, on the stores it needs.
struct Controllers: Sendable {
    let users: UsersController
    let events: EventsController
    let nearests: NearestsController
    let attendances: AttendancesController
    let eventAttendances: EventAttendancesController
    let sharedTasks: SharedTasksController
    let checkins: CheckinsController

    init(stores: Stores, settings: ApplicationSettings, limits: Limits) {
        let authentication = Authentication(users: stores.users, settings: settings)
        users = UsersController(users: stores.users, authentication: authentication)
        events = EventsController(events: stores.events, authentication: authentication)
        nearests = NearestsController(events: stores.events, maximumLimit: limits.results)
        attendances = AttendancesController(
            attendances: stores.attendances,
            authentication: authentication
        )
        eventAttendances = EventAttendancesController(attendances: stores.attendances)
        sharedTasks = SharedTasksController(tasks: stores.sharedTasks)
        checkins = CheckinsController(checkins: stores.checkins, maximumLimit: limits.results)
    }
}
