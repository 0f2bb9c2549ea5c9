import HTTP
import Sodium

/// Every controller, on the stores it needs.
struct Controllers: Sendable {
    let users: UsersController
    let events: EventsController
    let nearests: NearestsController
    let attendances: AttendancesController
    let eventAttendances: EventAttendancesController
    let accounts: AccountsController
    let sessions: SessionsController
    let todoTasks: TodoTasksController
    let sharedTasks: SharedTasksController
    let completions: CompletionsController
    let checkins: CheckinsController
    let categories: CategoriesController
    let pages: PagesController

    init(
        stores: Stores,
        passwordHasher: PasswordHasher,
        settings: ApplicationSettings,
        limits: Limits
    ) {
        let authentication = Authentication(users: stores.users, settings: settings)
        users = UsersController(users: stores.users, authentication: authentication)
        events = EventsController(events: stores.events, authentication: authentication)
        nearests = NearestsController(events: stores.events, maximumLimit: limits.results)
        attendances = AttendancesController(
            attendances: stores.attendances,
            authentication: authentication
        )
        eventAttendances = EventAttendancesController(attendances: stores.attendances)
        accounts = AccountsController(accounts: stores.accounts, passwordHasher: passwordHasher)
        sessions = SessionsController(accounts: stores.accounts, passwordHasher: passwordHasher)
        todoTasks = TodoTasksController(
            tasks: stores.todoTasks,
            authentication: AccountAuthentication(accounts: stores.accounts)
        )
        sharedTasks = SharedTasksController(tasks: stores.sharedTasks)
        completions = CompletionsController(tasks: stores.sharedTasks)
        checkins = CheckinsController(checkins: stores.checkins, maximumLimit: limits.results)
        categories = CategoriesController(checkins: stores.checkins, maximumLimit: limits.results)
        pages = PagesController(APIDescription(of: settings.systems))
    }
}
