package import HTTP

/// The result of resolving a request's method and path.
package enum Resolution<Handler: Sendable>: Sendable {
    case found(Handler, PathParameters, pattern: String)
    /// OPTIONS on a path without its own handler for it; `allow` is the value of the `Allow`
    /// header.
    case options(allow: String)
    /// The path doesn't support this method; `neighbor` is the handler of another method.
    case methodNotAllowed(allow: String, neighbor: Handler)
    case notFound
}

/// The table of routes, which finds the handler for a method and path.
///
/// A pattern such as `/v1/events/:id` also matches its paths with `.json` or one slash at the end,
/// unless it has a suffix of its own, as `/v1/events/:id.ics` does. Literal segments take
/// precedence over parameters. A parameter can follow a literal prefix, as in `/~:name/tasks`. HEAD
/// uses GET's handler unless it has its own.
package struct Router<Handler: Sendable>: Sendable {
    private var tree = RouteTree()
    private var table: [Route] = []
    private var handlers: [Handler] = []

    package init() {}

    /// Every route in the order of registration; O(n).
    package var routes: [(method: Method, pattern: String)] {
        table.map { ($0.method, $0.pattern) }
    }

    /// Adds a route; traps if the pattern is malformed or already has this method.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - pattern: The pattern of the path.
    ///   - acceptsSuffix: Whether the path can also end with `.json`. False for a path whose own
    ///     suffix selects a representation. A suffix behind a parameter always does.
    ///   - handler: The handler.
    package mutating func on(
        _ method: Method,
        _ pattern: String,
        acceptsSuffix: Bool = true,
        _ handler: Handler
    ) {
        let parsed = PathPattern(pattern)
        tree.insert(table.count, method, parsed, acceptsSuffix: acceptsSuffix)
        table.append(
            Route(method: method, pattern: pattern, parameterNames: parsed.parameterNames)
        )
        handlers.append(handler)
    }

    /// Resolves a method and a percent-encoded path; `*` is the whole server.
    package func resolve(_ method: Method, _ path: String) -> Resolution<Handler> {
        guard let match = tree.match(path) else {
            guard path == "*", method == .options else { return .notFound }
            return .options(allow: Endpoint.allow(table.map(\.method)))
        }
        let endpoint = tree.endpoints[match.endpoint]
        guard let index = endpoint.route(for: method) else {
            return method == .options
                ? .options(allow: endpoint.allow)
                : .methodNotAllowed(allow: endpoint.allow, neighbor: handlers[endpoint.firstRoute])
        }
        let route = table[index]
        let parameters = PathParameters(names: route.parameterNames, values: match.values)
        return .found(handlers[index], parameters, pattern: route.pattern)
    }
}

/// A route without its handler.
private struct Route: Sendable {
    let method: Method
    let pattern: String
    let parameterNames: [String]
}
