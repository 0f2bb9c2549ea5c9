import HTTP

/// The methods of a path pattern.
struct PathMethods: Sendable {
    /// The value of the `Allow` header (RFC 9110 section 10.2.1).
    private(set) var allow = "OPTIONS"
    private(set) var methods: [Method] = []
    /// Whether the path can also end with `.json`.
    let acceptsSuffix: Bool
    private var routes: [Int] = []

    init(acceptsSuffix: Bool) {
        self.acceptsSuffix = acceptsSuffix
    }

    /// The first route; every endpoint has one.
    var firstRoute: Int { routes.first ?? 0 }

    /// Returns the route for a method; for HEAD, that of GET unless it has its own.
    func route(for method: Method) -> Int? {
        for index in methods.indices where methods[index] == method { return routes[index] }
        return method == .head ? route(for: .get) : nil
    }

    /// Adds the route for a method; traps if there already is one.
    mutating func insert(_ route: Int, for method: Method) {
        precondition(!methods.contains(method), "two routes for one method and pattern")
        methods.append(method)
        routes.append(route)
        allow = Self.allow(methods)
    }

    /// Returns the `Allow` header for these methods, to which HEAD and OPTIONS are added.
    static func allow(_ methods: [Method]) -> String {
        let usual: [Method] = [.get, .head, .post, .put, .patch, .delete]
        var listed = usual.filter { method in
            methods.contains(method) || method == .head && methods.contains(.get)
        }
        for method in methods where !listed.contains(method) && method != .options {
            listed.append(method)
        }
        listed.append(.options)
        return listed.map(\.rawValue).joined(separator: ", ")
    }
}
