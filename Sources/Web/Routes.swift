package import HTTP
package import Model

/// A function that handles a call.
typealias Action = @Sendable (Call) async throws -> Response

/// A function that handles a call if memory has the response; nil if the action must.
typealias ImmediateAction = @Sendable (Call) throws -> Response?

/// A route's actions and its error format.
struct Handler: Sendable {
    let action: Action
    let immediateAction: ImmediateAction?
    let errorShape: ErrorShape
}

/// The handlers for the requests of a method and path.
struct Destination: Sendable {
    /// Whether its responses may be long lists.
    let isList: Bool
    /// Whether the parameter `limit` bounds the list.
    private let hasLimit: Bool
    /// Whether the header `Accept` selects the representation.
    let isNegotiated: Bool
    /// Whether its actions change nothing.
    let isRead: Bool
    /// The size of an event with the longest texts in any representation, in bytes.
    private static let eventBytes = 6_000
    private let first: Handler
    /// The handlers of other systems with the same path, which the request's content distinguishes.
    private let others: [ServedSystem: Handler]

    init(
        isList: Bool,
        hasLimit: Bool,
        isNegotiated: Bool,
        isRead: Bool,
        first: Handler,
        others: [ServedSystem: Handler]
    ) {
        self.isList = isList
        self.hasLimit = hasLimit
        self.isNegotiated = isNegotiated
        self.isRead = isRead
        self.first = first
        self.others = others
    }

    /// Returns the size of a list at most, in bytes; nil if the response is no list.
    func listSize(of request: Request) -> Int? {
        guard isList else { return nil }
        guard hasLimit else { return .max }
        // The default for JSON and text is a short page.
        let isPage = isNegotiated && request.preferredEventFormat.defaultLimit(maximum: .max) < .max
        let limit = request.limit ?? (isPage ? EventFormat.json.defaultLimit(maximum: .max) : .max)
        return limit < .max / Self.eventBytes ? max(limit, 1) * Self.eventBytes : .max
    }

    /// Returns the handler for the call, and parses the call's parameters if it depends on them.
    func handler(for call: inout Call) -> Handler {
        guard !others.isEmpty else { return first }
        call.parseParameters()
        return others[SharedSignUp.system(of: call)] ?? first
    }
}

/// The table of all routes.
package enum Routes {
    private static let all = humon + eventSearches + todo + myTasks + twosquare + pages

    private static let humon = [
        Route(.humon, .post, "/v1/users", .createUser) { $0.users.create },
        Route(.humon, .get, "/v1/users/me", .showUser) { $0.users.show },
        Route(.humon, .get, "/v1/events", .searchEvents(nil), isList: true, isNegotiated: true) {
            $0.eventSearch.index(nil)
        },
        Route(.humon, .post, "/v1/events", .createEvent) { $0.events.create },
        Route(.humon, .get, "/v1/events/nearests", .nearestEvents, isList: true) {
            $0.nearests.index
        },
        Route(.humon, .get, "/v1/events/nearest", .nearestEventsAlias, isList: true) {
            $0.nearests.index
        },
        Route(.humon, .get, "/v1/events/clusters", .eventClusters, isList: true) {
            $0.eventClusters.index
        },
        Route(.humon, .get, "/v1/events/:id.ics", .eventDocument(.ics)) {
            $0.eventDocuments.show(.ics)
        },
        Route(.humon, .get, "/v1/events/:id.geojson", .eventDocument(.geojson)) {
            $0.eventDocuments.show(.geojson)
        },
        Route(
            .humon,
            .get,
            "/v1/events/:id",
            .showEvent,
            immediately: { $0.events.showFromMemory },
            { $0.events.show }
        ),
        Route(.humon, .patch, "/v1/events/:id", .updateEvent) { $0.events.update },
        Route(.humon, .put, "/v1/events/:id", .replaceEvent) { $0.events.update },
        Route(.humon, .delete, "/v1/events/:id", .deleteEvent) { $0.events.destroy },
        Route(.humon, .get, "/v1/events/:id/attendances", .eventAttendances, isList: true) {
            $0.eventAttendances.index
        },
        Route(.humon, .post, "/v1/attendances", .createAttendance) { $0.attendances.create },
        Route(.humon, .delete, "/v1/attendances/:id", .deleteAttendance) { $0.attendances.destroy },
    ]

    /// The searches whose path suffix selects the representation.
    private static let eventSearches = EventFormat.allCases.filter { $0 != .json }.map { format in
        Route(
            .humon,
            .get,
            "/v1/events.\(format.suffix)",
            .searchEvents(format),
            isList: true,
            acceptsSuffix: false
        ) { $0.eventSearch.index(format) }
    }

    private static let todo = [
        // Humon has the same route; see `SharedSignUp`.
        Route(.todo, .post, "/v1/users", .createAccount) { $0.accounts.create },
        Route(.todo, .post, "/v1/users/sign_in", .createSession) { $0.sessions.create },
        Route(.todo, .delete, "/v1/users/sign_out", .deleteSession) { $0.sessions.destroy },
        Route(.todo, .get, "/v1/tasks", .listTasks, isList: true) { $0.todoTasks.index },
        Route(.todo, .post, "/v1/tasks", .createTask) { $0.todoTasks.create },
        Route(.todo, .get, "/v1/tasks/:id", .showTask) { $0.todoTasks.show },
        Route(.todo, .put, "/v1/tasks/:id", .replaceTask) { $0.todoTasks.update },
        Route(.todo, .patch, "/v1/tasks/:id", .updateTask) { $0.todoTasks.update },
        Route(.todo, .delete, "/v1/tasks/:id", .deleteTask) { $0.todoTasks.destroy },
    ]

    /// The routes of MyTasks, for POST and GET, under the server's own root and those of users.
    private static let myTasks = ["/my_tasks", "/~:name/my_tasks"].flatMap { root -> [Route] in
        [Method.post, .get].flatMap { method -> [Route] in
            let isPersonal = root.contains(":")
            return [
                Route(
                    .mytasks,
                    method,
                    root + "/pending_tasks.php",
                    SharedTaskOperation.pending.operation(method, isPersonal: isPersonal),
                    isList: true
                ) { $0.sharedTasks.index },
                Route(
                    .mytasks,
                    method,
                    root + "/add_task.php",
                    SharedTaskOperation.add.operation(method, isPersonal: isPersonal),
                    isRead: false
                ) { $0.sharedTasks.create },
                Route(
                    .mytasks,
                    method,
                    root + "/set_task_completed.php",
                    SharedTaskOperation.complete.operation(method, isPersonal: isPersonal),
                    isRead: false
                ) { $0.completions.create },
            ]
        }
    }

    private static let twosquare = [
        Route(.twosquare, .post, "/api/checkins", .createCheckin) { $0.checkins.create },
        Route(.twosquare, .get, "/api/checkins", .listCheckins, isList: true) { $0.checkins.index },
        Route(.twosquare, .get, "/api/categories", .listCategories, isList: true) {
            $0.categories.index
        },
    ]

    /// The pages about the server, whichever systems are enabled.
    private static let pages = [
        Route(nil, .get, "/", .welcome) { $0.pages.welcome },
        Route(nil, .get, "/docs", .documentation) { $0.pages.documentation },
        Route(nil, .get, "/openapi.json", .apiDescription) { $0.pages.description },
    ]

    /// The page with the map, and its files.
    private static let map = [
        Route(nil, .get, "/map", .map) { $0.pages.map.index },
        Route(nil, .get, "/map/:file", .mapFile) { $0.pages.map.show },
    ]

    /// Returns the method, pattern and summary of every endpoint of these systems, in the table's
    /// order.
    package static func listing(
        of systems: Set<ServedSystem> = Set(ServedSystem.allCases),
        hasMap: Bool = true
    ) -> [(method: Method, pattern: String, summary: String)] {
        endpoints(of: systems, hasMap: hasMap).map { routes in
            let summaries = routes.map(\.operation.summary)
            return (routes[0].method, routes[0].pattern, summaries.joined(separator: ", or: "))
        }
    }

    /// Returns the descriptions of these systems' routes, in the table's order.
    static func described(
        of systems: Set<ServedSystem>,
        hasMap: Bool
    ) -> [APIDescription.Route] {
        endpoints(of: systems, hasMap: hasMap).flatMap(\.self).map { route in
            APIDescription.Route(
                system: route.system,
                method: route.method,
                pattern: route.pattern,
                operation: route.operation,
                isRead: route.isRead,
                errorShape: route.errorShape
            )
        }
    }

    /// Creates the router of these systems; its routes have the numbers of `listing`.
    static func router(of systems: Set<ServedSystem>, hasMap: Bool) -> Router {
        var router = Router()
        for routes in endpoints(of: systems, hasMap: hasMap) {
            router.on(
                routes[0].method,
                routes[0].pattern,
                acceptsSuffix: routes[0].acceptsSuffix
            )
        }
        return router
    }

    /// Returns the actions of these controllers for the router's routes.
    static func destinations(
        in controllers: Controllers,
        of systems: Set<ServedSystem>,
        hasMap: Bool
    ) -> [Destination] {
        endpoints(of: systems, hasMap: hasMap).map { routes in
            var handlers: [ServedSystem: Handler] = [:]
            for route in routes {
                if let system = route.system { handlers[system] = route.handler(controllers) }
            }
            return Destination(
                isList: routes.contains { $0.isList },
                hasLimit: routes.allSatisfy {
                    $0.operation.parameters.contains { $0.name == "limit" }
                },
                isNegotiated: routes.contains { $0.isNegotiated },
                isRead: routes.allSatisfy { $0.isRead },
                first: routes[0].handler(controllers),
                others: routes.count > 1 ? handlers : [:]
            )
        }
    }

    /// Returns the error format for an unknown path.
    ///
    /// MyTasks' app treats any body as its list, so paths of missing scripts get no body.
    static func errorShape(ofUnknown path: String, in systems: Set<ServedSystem>) -> ErrorShape {
        guard systems.contains(.mytasks) else { return .message }
        var segments = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
            .prefix(3).map { PercentEncoding.decodedSegment($0.utf8Span.span) }
        if segments.first??.hasPrefix("~") == true { segments.removeFirst() }
        return segments.count > 1 && segments.first == "my_tasks" ? .empty : .message
    }

    /// Returns the routes of these systems, grouped by method and pattern.
    ///
    /// The map is included only with Humon, because it shows Humon's events.
    private static func endpoints(of systems: Set<ServedSystem>, hasMap: Bool) -> [[Route]] {
        var endpoints: [[Route]] = []
        let routes = all + (hasMap && systems.contains(.humon) ? map : [])
        for route in routes where route.system.map(systems.contains) ?? true {
            let same = endpoints.firstIndex { routes in
                routes[0].method == route.method && routes[0].pattern == route.pattern
            }
            if let same { endpoints[same].append(route) } else { endpoints.append([route]) }
        }
        return endpoints
    }
}

/// A row of the table.
private struct Route: Sendable {
    /// The system, or nil for pages.
    let system: ServedSystem?
    let method: Method
    let pattern: String
    let operation: Operation
    let isList: Bool
    let isNegotiated: Bool
    /// Whether the action changes nothing; GET changes something in two of MyTasks' scripts.
    let isRead: Bool
    /// Whether the path can also end with `.json`.
    let acceptsSuffix: Bool
    let action: @Sendable (Controllers) -> Action
    let immediateAction: (@Sendable (Controllers) -> ImmediateAction)?

    init(
        _ system: ServedSystem?,
        _ method: Method,
        _ pattern: String,
        _ operation: Operation,
        isList: Bool = false,
        isNegotiated: Bool = false,
        isRead: Bool = true,
        acceptsSuffix: Bool = true,
        immediately immediateAction: (@Sendable (Controllers) -> ImmediateAction)? = nil,
        _ action: @escaping @Sendable (Controllers) -> Action
    ) {
        self.system = system
        self.method = method
        self.pattern = pattern
        self.operation = operation
        self.isList = isList
        self.isNegotiated = isNegotiated
        self.isRead = isRead && method == .get
        self.acceptsSuffix = acceptsSuffix
        self.immediateAction = immediateAction
        self.action = action
    }

    var errorShape: ErrorShape {
        system.map { ErrorShape(of: $0, method) } ?? .message
    }

    func handler(_ controllers: Controllers) -> Handler {
        Handler(
            action: action(controllers),
            immediateAction: immediateAction?(controllers),
            errorShape: errorShape
        )
    }
}
