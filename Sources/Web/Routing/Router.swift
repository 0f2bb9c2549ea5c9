package import HTTP

/// The result of resolving a request's method and path.
///
/// Routes are numbers in the order of registration.
package enum Resolution: Sendable {
    case found(route: Int, PathParameters)
    /// OPTIONS on a path without its own route for it; `allow` is the value of the `Allow` header.
    case options(allow: String)
    /// The path doesn't support this method; `neighbor` is the route of another method.
    case methodNotAllowed(allow: String, neighbor: Int, PathParameters)
    case notFound
}

/// The table of routes, which finds the route for a method and path.
///
/// A pattern such as `/v1/events/:id` also matches its paths with `.json` or one slash at the end,
/// unless it has a suffix of its own, as `/v1/events/:id.ics` does. Literal segments take
/// precedence over parameters. A parameter can follow a literal prefix, as in `/~:name/tasks`. HEAD
/// uses GET's route unless it has its own.
package struct Router: Sendable {
    private struct Route: Sendable {
        let method: Method
        let parameterNames: [String]
    }

    private var tree = RouteTree()
    private var table: [Route] = []

    package init() {}

    /// Adds a route; traps if the pattern is malformed or already has this method.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - pattern: The pattern of the path.
    ///   - acceptsSuffix: Whether the path can also end with `.json`. False for a path whose own
    ///     suffix selects a representation. A suffix behind a parameter always does.
    package mutating func on(_ method: Method, _ pattern: String, acceptsSuffix: Bool = true) {
        let parsed = PathPattern(pattern)
        tree.insert(table.count, method, parsed, acceptsSuffix: acceptsSuffix)
        table.append(Route(method: method, parameterNames: parsed.parameterNames))
    }

    /// Resolves a method and a percent-encoded path; `*` is the whole server.
    package func resolve(_ method: Method, _ path: String) -> Resolution {
        guard let match = tree.match(path) else {
            guard path == "*", method == .options else { return .notFound }
            return .options(allow: PathMethods.allow(table.map(\.method)))
        }
        let endpoint = tree.endpoints[match.endpoint]
        func parameters(of route: Int) -> PathParameters {
            PathParameters(
                names: table[route].parameterNames,
                values: match.values,
                namesJSON: match.namesJSON
            )
        }
        if let route = endpoint.route(for: method) {
            return .found(route: route, parameters(of: route))
        }
        if method == .options { return .options(allow: endpoint.allow) }
        let neighbor = endpoint.firstRoute
        return .methodNotAllowed(
            allow: endpoint.allow,
            neighbor: neighbor,
            parameters(of: neighbor)
        )
    }
}
