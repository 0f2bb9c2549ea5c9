import HTTP
import Model

/// A request of an admin.
@dynamicMemberLookup
struct AdminCall: Sendable {
    let call: Call
    let admin: Admin

    /// Returns a part of the call.
    subscript<Value>(dynamicMember member: KeyPath<Call, Value>) -> Value {
        call[keyPath: member]
    }
}

/// A function that handles a request of an admin.
typealias AdminHandler = @Sendable (AdminCall) async throws -> Response

/// The actions of admins for a kind of record.
protocol AdminController: Sendable {
    init(services: AdminServices)
}

/// A row of the table of the admin server: a method and pattern.
struct AdminRoute: Sendable {
    enum Handler: Sendable {
        /// For monitoring, from any host.
        case probe(@Sendable () async -> Response)
        /// Without a token.
        case open(@Sendable (AdminServices) -> Action)
        /// With the token of an admin.
        case admin(@Sendable (AdminServices) -> AdminHandler)
    }

    let method: Method
    let pattern: String
    /// Nil for files of the page and for monitoring.
    let operation: Operation?
    let handler: Handler

    init(_ method: Method, _ pattern: String, _ operation: Operation?, _ handler: Handler) {
        self.method = method
        self.pattern = pattern
        self.operation = operation
        self.handler = handler
    }

    var isProbe: Bool { if case .probe = handler { true } else { false } }

    /// Creates a route that needs no token.
    static func open<Actions: AdminController>(
        _ method: Method,
        _ pattern: String,
        _ operation: Operation?,
        _ action: @escaping @Sendable (Actions) -> Action
    ) -> AdminRoute {
        AdminRoute(method, pattern, operation, .open { action(Actions(services: $0)) })
    }

    /// Creates a route of the admin API, which needs a token.
    static func admin(
        _ method: Method,
        _ path: String,
        _ operation: Operation,
        _ action: @escaping @Sendable (AdminServices) -> AdminHandler
    ) -> AdminRoute {
        AdminRoute(method, "/admin/v1" + path, operation, .admin(action))
    }

    /// Creates such a route with an action of a controller.
    static func admin<Actions: AdminController>(
        _ method: Method,
        _ path: String,
        _ operation: Operation,
        _ action: @escaping @Sendable (Actions) -> AdminHandler
    ) -> AdminRoute {
        admin(method, path, operation) { (services: AdminServices) in
            action(Actions(services: services))
        }
    }
}
