package import HTTP
package import Model
import Routing

/// What a route leads to.
typealias Action = @Sendable (Call) async throws -> Response

/// A route's action, and how its clients are told of errors.
struct Handler: Sendable {
    let action: Action
    let errorShape: ErrorShape
}

/// Where a method and a path lead.
struct Destination: Sendable {
    /// The index in `Routes.listing`.
    let index: Int
    private let first: Handler
    /// Where several systems share the path, and what is sent tells which of them is meant.
    private let others: [System: Handler]

    init(index: Int, first: Handler, others: [System: Handler]) {
        self.index = index
        self.first = first
        self.others = others
    }

    /// What handles the call.
    func handler(for call: Call) -> Handler {
        others.isEmpty ? first : others[SharedSignUp.system(of: call)] ?? first
    }
}

/// The table of all routes.
package enum Routes {
    private static let all = humon + todo + myTasks + twosquare

    private static let humon = [
        Route(.humon, .post, "/v1/users") { $0.users.create },
        Route(.humon, .post, "/v1/events") { $0.events.create },
        Route(.humon, .get, "/v1/events/nearests") { $0.nearests.index },
        Route(.humon, .get, "/v1/events/nearest") { $0.nearests.index },
        Route(.humon, .get, "/v1/events/:id") { $0.events.show },
        Route(.humon, .patch, "/v1/events/:id") { $0.events.update },
        Route(.humon, .put, "/v1/events/:id") { $0.events.update },
        Route(.humon, .delete, "/v1/events/:id") { $0.events.destroy },
        Route(.humon, .get, "/v1/events/:id/attendances") { $0.eventAttendances.index },
        Route(.humon, .post, "/v1/attendances") { $0.attendances.create },
        Route(.humon, .delete, "/v1/attendances/:id") { $0.attendances.destroy },
    ]

    private static let todo = [
        // Humon has this one, too; see `SharedSignUp`.
        Route(.todo, .post, "/v1/users") { $0.accounts.create },
        Route(.todo, .post, "/v1/users/sign_in") { $0.sessions.create },
        Route(.todo, .delete, "/v1/users/sign_out") { $0.sessions.destroy },
        Route(.todo, .get, "/v1/tasks") { $0.todoTasks.index },
        Route(.todo, .post, "/v1/tasks") { $0.todoTasks.create },
        Route(.todo, .get, "/v1/tasks/:id") { $0.todoTasks.show },
        Route(.todo, .put, "/v1/tasks/:id") { $0.todoTasks.update },
        Route(.todo, .patch, "/v1/tasks/:id") { $0.todoTasks.update },
        Route(.todo, .delete, "/v1/tasks/:id") { $0.todoTasks.destroy },
    ]

    /// The app posts; GET answers alike, under a root of the server's own or of some user's.
    private static let myTasks = ["/my_tasks", "/~:name/my_tasks"].flatMap { root in
        [Method.post, .get].flatMap { method in
            [
                Route(.mytasks, method, root + "/pending_tasks.php") { $0.sharedTasks.index },
                Route(.mytasks, method, root + "/add_task.php") { $0.sharedTasks.create },
                Route(.mytasks, method, root + "/set_task_completed.php") {
                    $0.completions.create
                },
            ]
        }
    }

    private static let twosquare = [
        Route(.twosquare, .post, "/api/checkins") { $0.checkins.create },
        Route(.twosquare, .get, "/api/checkins") { $0.checkins.index },
        Route(.twosquare, .get, "/api/categories") { $0.categories.index },
    ]

    /// The method and the pattern of every endpoint of these systems, in the order of the table.
    package static func listing(
        of systems: Set<System> = Set(System.allCases)
    ) -> [(method: Method, pattern: String)] {
        endpoints(of: systems).map { routes in (routes[0].method, routes[0].pattern) }
    }

    /// A router that leads to the actions of these controllers, in these systems alone.
    static func router(
        to controllers: Controllers,
        of systems: Set<System>
    ) -> Router<Destination> {
        var router = Router<Destination>()
        for (index, routes) in endpoints(of: systems).enumerated() {
            var handlers: [System: Handler] = [:]
            for route in routes { handlers[route.system] = route.handler(controllers) }
            let destination = Destination(
                index: index,
                first: routes[0].handler(controllers),
                others: routes.count > 1 ? handlers : [:]
            )
            router.on(routes[0].method, routes[0].pattern, destination)
        }
        return router
    }

    /// The routes of these systems, those of one method and pattern together.
    private static func endpoints(of systems: Set<System>) -> [[Route]] {
        var endpoints: [[Route]] = []
        for route in all where systems.contains(route.system) {
            let same = endpoints.firstIndex { routes in
                routes[0].method == route.method && routes[0].pattern == route.pattern
            }
            if let same { endpoints[same].append(route) } else { endpoints.append([route]) }
        }
        return endpoints
    }
}

/// A line of the table.
private struct Route: Sendable {
    let system: System
    let method: Method
    let pattern: String
    let action: @Sendable (Controllers) -> Action

    init(
        _ system: System,
        _ method: Method,
        _ pattern: String,
        _ action: @escaping @Sendable (Controllers) -> Action
    ) {
        self.system = system
        self.method = method
        self.pattern = pattern
        self.action = action
    }

    func handler(_ controllers: Controllers) -> Handler {
        Handler(action: action(controllers), errorShape: ErrorShape(of: system, method))
    }
}
