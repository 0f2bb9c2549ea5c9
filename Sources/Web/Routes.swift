package import HTTP
import Model
import Rules

/// A function that handles a call.
typealias Action = @Sendable (Call) async throws -> Response

/// A function that handles a call if memory has the response; nil if the action must.
typealias ImmediateAction = @Sendable (Call) throws -> Response?

/// A route's actions and its error format.
final class Handler: Sendable {
    let system: ServedSystem?
    let errorShape: ErrorShape
    let action: Action
    let immediateAction: ImmediateAction?

    init(_ route: Route, _ services: Services) {
        system = route.system
        errorShape = route.errorShape
        if let system, route.isSafe {
            let writes = SafeWrites(services: services, system: system)
            action = { call in
                try await writes.respond(to: call) { services, call in
                    try await route.action(services)(call)
                }
            }
        } else {
            action = route.action(services)
        }
        immediateAction = route.immediateAction?(services)
    }
}

/// The handlers for the requests of a method and path.
final class Destination: Sendable {
    /// Whether its responses may be long lists.
    let isList: Bool
    /// Whether the header `Accept` selects the representation.
    let isNegotiated: Bool
    /// Whether its actions change nothing.
    let isRead: Bool
    /// Whether the parameter `wait` lets a request wait for changes.
    private let canWait: Bool
    /// The parameter `limit` bounds the list.
    private let hasLimit: Bool
    /// The handlers; the request's content distinguishes those of several systems.
    private let handlers: [Handler]
    private let first: Handler

    /// The size of an event with the longest texts in any representation, in bytes.
    private static let eventBytes = 6_000

    init(_ first: Route, _ routes: [Route], _ services: Services) {
        isList = routes.contains { $0.isList }
        canWait = routes.contains { $0.operation.parameters.contains { $0.name == "wait" } }
        hasLimit = routes.allSatisfy { $0.operation.parameters.contains { $0.name == "limit" } }
        isNegotiated = routes.contains { $0.isNegotiated }
        isRead = routes.allSatisfy { $0.isRead }
        handlers = routes.map { Handler($0, services) }
        self.first = Handler(first, services)
    }

    /// Returns the size of a list at most, in bytes; nil if the response is no list.
    ///
    /// Parses the parameters of the call if the list depends on them.
    func listSize(for call: inout Call) -> Int? {
        guard isList else { return nil }
        guard hasLimit else { return .max }
        // The default for JSON and text is a short page.
        let request = call.request
        let isPage =
            canWait
            || isNegotiated && request.preferredEventFormat.defaultLimit(maximum: .max) < .max
        call.parseParameters()
        let parameters = try? call.parameters()
        // Its memory would be reserved for as long as it waits.
        if canWait, parameters?["wait"].isBlank == false { return nil }
        let parameter = parameters?["limit"].spelling.flatMap { Int($0) }
        let limit = parameter ?? (isPage ? EventFormat.json.defaultLimit(maximum: .max) : .max)
        return limit < .max / Self.eventBytes ? max(limit, 1) * Self.eventBytes : .max
    }

    /// Returns the handler for the call, and parses the call's parameters if it depends on them.
    func handler(for call: inout Call) -> Handler {
        guard handlers.count > 1 else { return first }
        call.parseParameters()
        let system = SharedSignUp.system(of: call)
        return handlers.first { $0.system == system } ?? first
    }
}

/// The table of all routes.
package enum Routes {
    private static let all = humon + eventSearches + todo + myTasks + twosquare + pages

    private static let humon = [
        Route(.post, "/v1/users", .createUser, UsersController.create),
        Route(.get, "/v1/users/me", .showUser, UsersController.show),
        Route(.patch, "/v1/users/me", .updateUser, UsersController.update),
        Route(.get, "/v1/users/me/devices", .listDevices, DevicesController.index),
        Route(.patch, "/v1/users/me/devices/:id", .renameDevice, DevicesController.update),
        Route(.delete, "/v1/users/me/devices/:id", .endDevice, DevicesController.destroy),
        Route(.post, "/v1/users/me/token", .rotateToken, DevicesController.rotate),
        Route(.delete, "/v1/users/me", .deleteUser, UsersController.destroy),
        Route(.post, "/v1/users/me/deletion_code", .createDeletionCode, UsersController.createCode),
        Route(.post, "/v1/users/me/blocks", .createBlock, BlocksController.create),
        Route.list("/v1/users/me/blocks", .listBlocks, BlocksController.index),
        Route(.delete, "/v1/users/me/blocks/:id", .deleteBlock, BlocksController.destroy),
        Route(.post, "/v1/users/:id/reports", .reportUser, ReportsController.createOfUser),
        Route(.post, "/v1/events/:id/reports", .reportEvent, ReportsController.createOfEvent),
        Route(.get, "/v1/events", .searchEvents(nil), isList: true, isNegotiated: true) {
            EventSearchController(services: $0).index(nil)
        },
        Route(.post, "/v1/events", .createEvent, EventsController.create),
        Route.list("/v1/events/nearests", .nearestEvents, EventSearchController.nearests),
        Route.list("/v1/events/nearest", .nearestEventsAlias, EventSearchController.nearests),
        Route.list("/v1/events/clusters", .eventClusters, EventSearchController.clusters),
        Route(.get, "/v1/events/:id.ics", .eventDocument(.ics)) {
            EventsController(services: $0).document(.ics)
        },
        Route(.get, "/v1/events/:id.geojson", .eventDocument(.geojson)) {
            EventsController(services: $0).document(.geojson)
        },
        Route(
            .get,
            "/v1/events/:id",
            .showEvent,
            immediately: { EventsController(services: $0).showFromMemory },
            EventsController.show
        ),
        Route(.patch, "/v1/events/:id", .updateEvent, EventsController.update),
        Route(.put, "/v1/events/:id", .replaceEvent, EventsController.update),
        Route(.delete, "/v1/events/:id", .deleteEvent, EventsController.destroy),
        Route.list("/v1/changes", .listChanges, isRead: false, ChangesController.index),
        Route(.get, "/v1/changes/stream", .streamChanges, ChangesController.stream),
        Route.list("/v1/events/:id/attendances", .eventAttendances, AttendancesController.index),
        Route(.post, "/v1/events/:id/invitation", .createInvitation, InvitationsController.create),
        Route(.delete, "/v1/events/:id/invitation", .endInvitations, InvitationsController.destroy),
        Route(.post, "/v1/attendances", .createAttendance, AttendancesController.create),
        Route(.delete, "/v1/attendances/:id", .deleteAttendance, AttendancesController.destroy),
    ].map { $0.of(.humon) }

    /// The searches whose path suffix selects the representation.
    private static let eventSearches = EventFormat.allCases.filter { $0 != .json }.map { format in
        Route(
            .get,
            "/v1/events.\(format.suffix)",
            .searchEvents(format),
            isList: true,
            acceptsSuffix: false
        ) { EventSearchController(services: $0).index(format) }.of(.humon)
    }

    private static let todo = [
        // Humon has the same route; see `SharedSignUp`.
        Route(.post, "/v1/users", .createAccount, AccountsController.create),
        Route(.post, "/v1/users/sign_in", .createSession, AccountsController.signIn),
        Route(.delete, "/v1/users/sign_out", .deleteSession, AccountsController.signOut),
        Route(.post, "/v1/users/delete", .deleteAccount, AccountsController.destroy),
        // Humon has the same route.
        Route.list("/v1/changes", .listTaskChanges, isRead: false, ChangesController.index),
        Route(.get, "/v1/changes/stream", .streamTaskChanges, ChangesController.stream),
        Route.list("/v1/tasks", .listTasks, TodoTasksController.index),
        Route(.post, "/v1/tasks", .createTask, TodoTasksController.create),
        Route(.get, "/v1/tasks/:id", .showTask, TodoTasksController.show),
        Route(.put, "/v1/tasks/:id", .replaceTask, TodoTasksController.update),
        Route(.patch, "/v1/tasks/:id", .updateTask, TodoTasksController.update),
        Route(.delete, "/v1/tasks/:id", .deleteTask, TodoTasksController.destroy),
    ].map { $0.of(.todo) }

    /// The routes of MyTasks, for POST and GET, under the server's own root and those of users.
    private static let myTasks = ["/my_tasks", "/~:name/my_tasks"].flatMap { root -> [Route] in
        [Method.post, .get].flatMap { method -> [Route] in
            let isPersonal = root.contains(":")
            return [
                Route(
                    method,
                    root + "/pending_tasks.php",
                    SharedTaskOperation.pending.operation(method, isPersonal: isPersonal),
                    isList: true,
                    SharedTasksController.index
                ),
                Route(
                    method,
                    root + "/add_task.php",
                    SharedTaskOperation.add.change(method, isPersonal: isPersonal),
                    isRead: false,
                    SharedTasksController.create
                ),
                Route(
                    method,
                    root + "/set_task_completed.php",
                    SharedTaskOperation.complete.change(method, isPersonal: isPersonal),
                    isRead: false,
                    SharedTasksController.complete
                ),
            ].map { $0.of(.mytasks) }
        }
    }

    private static let twosquare = [
        Route(.post, "/api/checkins", .createCheckin, CheckinsController.create),
        Route.list("/api/checkins", .listCheckins, CheckinsController.index),
        Route.list("/api/categories", .listCategories, CheckinsController.categories),
    ].map { $0.of(.twosquare) }

    /// The pages about the server, whichever systems are enabled.
    private static let pages = [
        Route(.get, "/", .welcome) { $0.pages.welcome },
        Route(.get, "/docs", .documentation) { $0.pages.documentation },
        Route(.get, "/openapi.json", .apiDescription) { $0.pages.description },
        Route(.get, "/llms.txt", .agentGuide, acceptsSuffix: false) { $0.pages.agentGuide },
    ]

    /// The client for web pages, and its types.
    private static let client = [
        Route(.get, "/humon.js", .clientScript, acceptsSuffix: false) {
            $0.pages.clientScript
        },
        Route(.get, "/humon.d.ts", .clientTypes, acceptsSuffix: false) {
            $0.pages.clientTypes
        },
    ]

    /// The page where people delete their data.
    private static let account = [
        Route(.get, "/account/delete", .accountPage, AccountPageController.show),
        Route(.post, "/account/delete", .deleteOnPage, AccountPageController.destroy),
    ]

    /// The sign-in with ID tokens.
    private static let signIn = [
        Route(.post, "/v1/sessions", .signIn, SignInsController.create),
        Route(.get, "/v1/users/me/identities", .listIdentities, SignInsController.identities),
        Route(.post, "/v1/users/me/identities", .addIdentity, SignInsController.addIdentity),
        Route(.delete, "/v1/users/me/identities/:id", .endIdentity, SignInsController.remove),
    ].map { $0.of(.humon) }

    /// The page with the map, and its files.
    private static let map = [
        Route(.get, "/map", .map) { $0.pages.map.index },
        Route(.get, "/map/:file", .mapFile) { $0.pages.map.show },
    ]

    /// Returns the method, pattern and summary of every endpoint, in the table's order.
    package static func listing() -> [(method: Method, pattern: String, summary: String)] {
        endpoints(of: Set(ServedSystem.allCases), hasMap: true, hasIssuers: true).map { routes in
            let summaries = routes.map(\.operation.summary)
            return (routes[0].method, routes[0].pattern, summaries.joined(separator: ", or: "))
        }
    }

    /// Creates the router of endpoints; its routes have their numbers.
    static func router(of endpoints: [[Route]]) -> Router {
        var router = Router()
        for routes in endpoints {
            router.on(routes[0].method, routes[0].pattern, acceptsSuffix: routes[0].acceptsSuffix)
        }
        return router
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
    /// The client and the map are included only with Humon, whose events they show, and the sign-in
    /// only if issuers are configured.
    static func endpoints(
        of systems: Set<ServedSystem>,
        hasMap: Bool,
        hasIssuers: Bool
    ) -> [[Route]] {
        let hasAccounts = !systems.isDisjoint(with: [.humon, .todo])
        let shown = client + (hasMap ? map : [])
        let routes =
            all + (hasIssuers ? signIn : []) + (hasAccounts ? account : [])
            + (systems.contains(.humon) ? shown : [])
        return routes.filter { $0.system.map(systems.contains) ?? true }
            .grouped { "\($0.method.rawValue) \($0.pattern)" }.map(\.elements)
    }
}
