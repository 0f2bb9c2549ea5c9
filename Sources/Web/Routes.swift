package import HTTP
import Routing

/// What a route leads to.
typealias Action = @Sendable (Call) async throws -> Response

/// The table of all routes.
package enum Routes {
    private static let all = [
        Route(.post, "/v1/users") { $0.users.create },
        Route(.post, "/v1/events") { $0.events.create },
        Route(.get, "/v1/events/nearests") { $0.nearests.index },
        Route(.get, "/v1/events/nearest") { $0.nearests.index },
        Route(.get, "/v1/events/:id") { $0.events.show },
        Route(.patch, "/v1/events/:id") { $0.events.update },
        Route(.put, "/v1/events/:id") { $0.events.replace },
        Route(.delete, "/v1/events/:id") { $0.events.destroy },
        Route(.get, "/v1/events/:id/attendances") { $0.eventAttendances.index },
        Route(.post, "/v1/attendances") { $0.attendances.create },
        Route(.delete, "/v1/attendances/:id") { $0.attendances.destroy },
    ]

    /// Every route's method and pattern, in the order of the table.
    package static var listing: [(method: Method, pattern: String)] {
        all.map { route in (route.method, route.pattern) }
    }

    /// A router that leads to the actions of these controllers.
    static func router(to controllers: Controllers) -> Router<Action> {
        var router = Router<Action>()
        for route in all { router.on(route.method, route.pattern, route.action(controllers)) }
        return router
    }
}

/// A line of the table.
private struct Route: Sendable {
    let method: Method
    let pattern: String
    let action: @Sendable (Controllers) -> Action

    init(
        _ method: Method,
        _ pattern: String,
        _ action: @escaping @Sendable (Controllers) -> Action
    ) {
        self.method = method
        self.pattern = pattern
        self.action = action
    }
}
