package import HTTP
package import Model

/// A row of the table: a method and pattern of one system.
package struct Route: Sendable {
    /// The system, or nil for the server's own pages.
    package private(set) var system: ServedSystem?
    package let method: Method
    package let pattern: String
    package let operation: Operation
    /// Whether its responses may be long lists.
    let isList: Bool
    /// Whether the header `Accept` selects the representation.
    let isNegotiated: Bool
    /// Whether the action changes nothing and clients can repeat it, so that conditions apply.
    ///
    /// GET changes something in two of MyTasks' scripts.
    let isRead: Bool
    /// Whether the path can also end with `.json`.
    let acceptsSuffix: Bool
    let action: @Sendable (Services) -> Action
    let immediateAction: (@Sendable (Services) -> ImmediateAction)?

    /// Creates a row with an action of the services.
    init(
        _ method: Method,
        _ pattern: String,
        _ operation: Operation,
        isList: Bool = false,
        isNegotiated: Bool = false,
        isRead: Bool = true,
        acceptsSuffix: Bool = true,
        immediately immediateAction: (@Sendable (Services) -> ImmediateAction)? = nil,
        _ action: @escaping @Sendable (Services) -> Action
    ) {
        self.method = method
        self.pattern = pattern
        self.operation = operation
        self.isList = isList
        self.isNegotiated = isNegotiated
        self.isRead = isRead && method == .get && !operation.isStream
        self.acceptsSuffix = acceptsSuffix
        self.immediateAction = immediateAction
        self.action = action
    }

    /// Creates a row with an action of a controller.
    init<Actions: Controller>(
        _ method: Method,
        _ pattern: String,
        _ operation: Operation,
        isList: Bool = false,
        isRead: Bool = true,
        immediately immediateAction: (@Sendable (Services) -> ImmediateAction)? = nil,
        _ action: @escaping @Sendable (Actions) -> Action
    ) {
        self.init(
            method,
            pattern,
            operation,
            isList: isList,
            isRead: isRead,
            immediately: immediateAction
        ) { services in action(Actions(services: services)) }
    }

    /// Returns a row whose responses to GET may be long lists.
    static func list<Actions: Controller>(
        _ pattern: String,
        _ operation: Operation,
        isRead: Bool = true,
        _ action: @escaping @Sendable (Actions) -> Action
    ) -> Route {
        Route(.get, pattern, operation, isList: true, isRead: isRead, action)
    }

    /// Returns the row as one of a system.
    func of(_ system: ServedSystem) -> Route {
        var route = self
        route.system = system
        return route
    }

    /// Whether clients can repeat its writes with an idempotency key.
    ///
    /// The actions of MyTasks see to that themselves.
    var isSafe: Bool {
        system != .mytasks
            && operation.parameters.contains { $0.name == Parameter.idempotencyKey.name }
    }

    var errorShape: ErrorShape {
        system.map { ErrorShape(of: $0, method) } ?? .message
    }
}

/// The actions for a kind of record.
protocol Controller: Sendable {
    init(services: Services)
}

extension ChangesController: Controller {}
