import HTTP

/// The methods that the paths of one pattern answer to.
struct Endpoint: Sendable {
    /// What `Allow` lists, in this order (RFC 9110 section 10.2.1).
    private(set) var allow = "OPTIONS"
    private(set) var methods: [Method] = []
    private var routes: [Int] = []

    /// The route that was inserted first; every endpoint has one.
    var firstRoute: Int { routes.first ?? 0 }

    /// The route for a method, GET's for HEAD where HEAD has none of its own.
    func route(for method: Method) -> Int? {
        for (index, known) in methods.enumerated() where known == method { return routes[index] }
        return method == .head ? route(for: .get) : nil
    }

    /// Makes `route` the answer to a method; if there is one, the program ends.
    mutating func insert(_ route: Int, for method: Method) {
        precondition(!methods.contains(method), "two routes for one method and pattern")
        methods.append(method)
        routes.append(route)
        allow = Self.allow(methods)
    }

    /// The `Allow` field for these methods, which GET and the mere existence add to.
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
