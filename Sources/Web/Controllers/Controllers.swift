import HTTP
import Model
import Sodium
import Time

/// All controllers with their stores.
struct Controllers: Sendable {
    let users: UsersController
    let events: EventsController
    let nearests: NearestsController
    let eventSearch: EventSearchController
    let eventDocuments: EventDocumentController
    let eventClusters: EventClustersController
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
        limiter: RequestLimiter?,
        limits: APILimits
    ) {
        let authentication = Authentication(
            users: stores.users,
            settings: settings,
            limiter: limiter
        )
        let accountAuthentication = AccountAuthentication(
            accounts: stores.accounts,
            limiter: limiter
        )
        users = UsersController(
            users: stores.users,
            authentication: authentication,
            limiter: limiter
        )
        events = EventsController(events: stores.events, authentication: authentication)
        nearests = NearestsController(events: stores.events, maximumLimit: limits.results)
        let zones = TimeZoneCatalog()
        eventClusters = EventClustersController(
            stores,
            authentication,
            zones,
            openEndHours: settings.openEndHours
        )
        eventSearch = EventSearchController(
            stores,
            authentication,
            zones,
            maximumLimit: limits.results,
            hasMap: settings.map != nil,
            openEndHours: settings.openEndHours
        )
        eventDocuments = EventDocumentController(stores)
        attendances = AttendancesController(
            attendances: stores.attendances,
            authentication: authentication
        )
        eventAttendances = EventAttendancesController(attendances: stores.attendances)
        accounts = AccountsController(
            accounts: stores.accounts,
            passwordHasher: passwordHasher,
            limiter: limiter
        )
        sessions = SessionsController(
            accounts: stores.accounts,
            authentication: accountAuthentication,
            passwordHasher: passwordHasher,
            limiter: limiter
        )
        todoTasks = TodoTasksController(
            tasks: stores.todoTasks,
            authentication: accountAuthentication
        )
        sharedTasks = SharedTasksController(tasks: stores.sharedTasks)
        completions = CompletionsController(tasks: stores.sharedTasks)
        checkins = CheckinsController(checkins: stores.checkins, maximumLimit: limits.results)
        categories = CategoriesController(checkins: stores.checkins, maximumLimit: limits.results)
        pages = PagesController(settings)
    }
}
