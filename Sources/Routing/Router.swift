package import HTTP

/// Where a request's method and path lead.
package enum Resolution<Handler: Sendable>: Sendable {
    case found(Handler, PathParameters, pattern: String)
    /// OPTIONS, on a path that has no handler of its own for it; `allow` is for the `Allow` field.
    case options(allow: String)
    /// The path is known, but not with this method; `neighbor` is the handler of another one.
    case methodNotAllowed(allow: String, neighbor: Handler)
    case notFound
}

/// The table of routes: finds the handler for a method and a path.
///
/// A pattern such as `/v1/events/:id` also answers to its path with `.json` or with one slash at
/// the end. A literal segment wins over a parameter. A parameter may stand behind a literal prefix,
/// as in `/~:name/tasks`. HEAD goes to GET's handler unless it has its own.
package struct Router<Handler: Sendable>: Sendable {
    private var tree = RouteTree()
    private var table: [Route] = []
    private var handlers: [Handler] = []

    package init() {}

    /// Every route in the order of registration, in O(n).
    package var routes: [(method: Method, pattern: String)] {
        table.map { ($0.method, $0.pattern) }
    }

    /// Adds a route; a malformed pattern, or one that has this method already, ends the program.
    package mutating func on(_ method: Method, _ pattern: String, _ handler: Handler) {
        let parsed = PathPattern(pattern)
        tree.insert(table.count, method, parsed)
        table.append(
            Route(method: method, pattern: pattern, parameterNames: parsed.parameterNames)
        )
        handlers.append(handler)
    }

    /// Where a method and a path, still percent-encoded, lead; `*` stands for the whole server.
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

/// What is known of a route besides its handler.
private struct Route: Sendable {
    let method: Method
    let pattern: String
    let parameterNames: [String]
}
