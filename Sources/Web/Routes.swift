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

/// The table of all routes.
package enum Routes {
    private static let all = humon + myTasks + twosquare

    private static let humon = [
        Route(.humon, .post, "/v1/users") { $0.users.create },
        Route(.humon, .post, "/v1/events") { $0.events.create },
        Route(.humon, .get, "/v1/events/nearests") { $0.nearests.index },
        Route(.humon, .get, "/v1/events/nearest") { $0.nearests.index },
        Route(.humon, .get, "/v1/events/:id") { $0.events.show },
        Route(.humon, .patch, "/v1/events/:id") { $0.events.update },
        Route(.humon, .put, "/v1/events/:id") { $0.events.replace },
        Route(.humon, .delete, "/v1/events/:id") { $0.events.destroy },
        Route(.humon, .get, "/v1/events/:id/attendances") { $0.eventAttendances.index },
        Route(.humon, .post, "/v1/attendances") { $0.attendances.create },
        Route(.humon, .delete, "/v1/attendances/:id") { $0.attendances.destroy },
    ]

    /// The app posts; GET answers alike, under a root of the server's own or of some user's.
    private static let myTasks = ["/my_tasks", "/~:name/my_tasks"].flatMap { root in
        [Method.post, .get].flatMap { method in
            [
                Route(.mytasks, method, root + "/pending_tasks.php") { $0.sharedTasks.index },
                Route(.mytasks, method, root + "/add_task.php") { $0.sharedTasks.create },
                Route(.mytasks, method, root + "/set_task_completed.php") {
                    $0.sharedTasks.complete
                },
            ]
        }
    }

    private static let twosquare = [
        Route(.twosquare, .post, "/api/checkins") { $0.checkins.create },
        Route(.twosquare, .get, "/api/checkins") { $0.checkins.index },
        Route(.twosquare, .get, "/api/categories") { $0.checkins.categories },
    ]

    /// Every route's method and pattern, in the order of the table, of these systems alone.
    package static func listing(
        of systems: Set<System> = Set(System.allCases)
    ) -> [(method: Method, pattern: String)] {
        all.filter { systems.contains($0.system) }.map { route in (route.method, route.pattern) }
    }

    /// A router that leads to the actions of these controllers, in these systems alone.
    static func router(to controllers: Controllers, of systems: Set<System>) -> Router<Handler> {
        var router = Router<Handler>()
        for route in all where systems.contains(route.system) {
            router.on(
                route.method,
                route.pattern,
                Handler(
                    action: route.action(controllers),
                    errorShape: ErrorShape(of: route.system)
                )
            )
        }
        return router
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
}
