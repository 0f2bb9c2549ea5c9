package import HTTP
package import Model

/// A row of the table: a method and pattern of one system.
package struct Route: Sendable {
    /// The system, or nil for the server's own pages.
    package let system: ServedSystem?
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

    init(
        _ system: ServedSystem?,
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
