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

/// The percent-decoded values of a pattern's parameters, and whether the path names JSON.
package struct PathParameters: Sendable {
    fileprivate let names: [String]
    fileprivate let values: [String]
    /// Whether the path ends with `.json` or `.json/`.
    package let namesJSON: Bool

    /// Returns the value of this parameter; nil if the pattern doesn't have it.
    package subscript(name: String) -> String? {
        names.firstIndex(of: name).map { values[$0] }
    }
}

/// The table of routes, which finds the route for a method and path.
///
/// A pattern such as `/v1/events/:id` also matches its paths with `.json` or one slash at the end,
/// unless it has a suffix of its own, as `/v1/events/:id.ics` does. Literal segments take
/// precedence over parameters. A parameter can follow a literal prefix, as in `/~:name/tasks`. HEAD
/// uses GET's route unless it has its own.
package struct Router: Sendable {
    /// The methods of a path pattern.
    private struct Endpoint: Sendable {
        let pattern: PathPattern
        let segmentCount: Int
        /// Whether the path can also end with `.json`.
        let acceptsSuffix: Bool
        var routes: [(method: Method, number: Int, names: [String])] = []

        /// Returns the index of the route for a method, or nil if there is none.
        func route(for method: Method) -> Int? {
            let routes = routes.span
            for index in routes.indices where routes[index].method == method { return index }
            return method == .head ? route(for: .get) : nil
        }
    }

    /// The endpoints in the order in which they are tried.
    private var endpoints: [Endpoint] = []
    private var routeCount = 0

    package init() {}

    /// Adds a route; traps if the pattern is malformed or already has this method.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - pattern: The pattern of the path.
    ///   - acceptsSuffix: Whether the path can also end with `.json`. False for a path whose own
    ///     suffix selects a representation. A suffix behind a parameter always does. The first
    ///     route of a path decides.
    package mutating func on(_ method: Method, _ pattern: String, acceptsSuffix: Bool = true) {
        let (pattern, names) = PathPattern.parse(pattern)
        let known = endpoints.firstIndex { $0.pattern == pattern }
        let index = known ?? endpoints.endIndex
        if known == nil {
            endpoints.append(
                Endpoint(
                    pattern: pattern,
                    segmentCount: pattern.segments.count,
                    acceptsSuffix: acceptsSuffix
                )
            )
        }
        let isNew = !endpoints[index].routes.contains { $0.method == method }
        precondition(isNew, "two routes for one method and pattern")
        endpoints[index].routes.append((method, routeCount, names))
        endpoints.sort { $0.pattern.precedes($1.pattern) }
        routeCount += 1
    }

    /// Resolves a method and a percent-encoded path; `*` is the whole server.
    package func resolve(_ method: Method, _ path: String) -> Resolution {
        guard let (index, values, namesJSON) = match(path) else {
            guard path == "*", method == .options else { return .notFound }
            return .options(allow: Self.allow(endpoints.flatMap { $0.routes.map(\.method) }))
        }
        if let route = endpoints[index].route(for: method) {
            let (_, number, names) = endpoints[index].routes[route]
            return .found(
                route: number,
                PathParameters(names: names, values: values, namesJSON: namesJSON)
            )
        }
        let allow = Self.allow(endpoints[index].routes.map(\.method))
        guard method != .options, let neighbor = endpoints[index].routes.first else {
            return .options(allow: allow)
        }
        return .methodNotAllowed(
            allow: allow,
            neighbor: neighbor.number,
            PathParameters(names: neighbor.names, values: values, namesJSON: namesJSON)
        )
    }

    /// Returns the index of the first endpoint that matches a path, and the parameters' values.
    ///
    /// The path can end with one slash or with `.json`, which are not part of a parameter.
    private func match(_ path: String) -> (index: Int, values: [String], namesJSON: Bool)? {
        guard let segments = Self.segments(of: path) else { return nil }
        let last = segments.last ?? ""
        let namesJSON = last.utf8.suffix(5).elementsEqual(".json".utf8)
        let stem = namesJSON ? String(decoding: last.utf8.dropLast(5), as: UTF8.self) : last
        // Iterating over the array would count the references of each endpoint.
        let endpoints = endpoints.span
        for index in endpoints.indices where endpoints[index].segmentCount == segments.count {
            let values = endpoints[index].pattern.values(
                in: segments,
                stem: stem,
                acceptsSuffix: endpoints[index].acceptsSuffix
            )
            if let values { return (index, values, namesJSON) }
        }
        return nil
    }

    /// Returns the decoded segments of a path; nil if it is malformed.
    private static func segments(of path: String) -> [String]? {
        let path = path.utf8.span
        guard path.count > 0, path[0] == UInt8(ascii: "/") else { return nil }
        var segments: [String] = []
        segments.reserveCapacity(8)
        var start = 1
        while start < path.count {
            let end = path.offset(of: UInt8(ascii: "/"), from: start)
            let text = PercentEncoding.decodedSegment(path.extracting(start..<end))
            guard let text else { return nil }
            segments.append(text)
            start = end + 1
        }
        return segments
    }

    /// Returns the value of the `Allow` header for these methods, to which HEAD and OPTIONS are
    /// added (RFC 9110 section 10.2.1).
    private static func allow(_ methods: [Method]) -> String {
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

/// A path pattern such as `/v1/events/:id`, without the names of its parameters.
///
/// A segment is a literal, a parameter `:name`, or a parameter with a literal prefix or suffix, as
/// in `~:name` and `:id.ics`. Patterns are part of the source, so a malformed one traps at
/// start-up.
private struct PathPattern: Equatable, Sendable {
    fileprivate struct Segment: Equatable, Sendable {
        let isParameter: Bool
        /// The literal, or what precedes the parameter.
        let prefix: String
        let suffix: String

        /// Literals come before parameters, and longer texts before shorter ones.
        var rank: (Int, Int) { (isParameter ? 1 : 0, -prefix.utf8.count - suffix.utf8.count) }

        /// Returns whether a text is this literal.
        ///
        /// The literals are ASCII, which no other text of the same length is equivalent to.
        func isLiteral(_ text: String) -> Bool {
            text.utf8.count == prefix.utf8.count && text == prefix
        }

        /// Returns the part of a text between the prefix and the suffix.
        ///
        /// Returns nil if the part is empty, or if the text lacks the prefix or the suffix.
        func value(in text: String) -> String? {
            if prefix.isEmpty, suffix.isEmpty { return text.isEmpty ? nil : text }
            let (start, end) = (prefix.utf8.count, suffix.utf8.count)
            guard text.utf8.count > start + end, text.utf8.starts(with: prefix.utf8),
                text.utf8.suffix(end).elementsEqual(suffix.utf8)
            else { return nil }
            return String(text.utf8.dropFirst(start).dropLast(end))
        }
    }

    fileprivate let segments: [Segment]

    /// Parses a pattern, and returns the names of its parameters from left to right.
    static func parse(_ pattern: String) -> (pattern: PathPattern, names: [String]) {
        precondition(pattern.hasPrefix("/"), "\(pattern) does not begin with a slash")
        var names: [String] = []
        let texts = pattern.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        let segments = (pattern == "/" ? [] : texts).map { text in
            precondition(!text.isEmpty, "\(pattern) has an empty segment")
            guard let colon = text.firstIndex(of: ":") else {
                return Segment(isParameter: false, prefix: String(text), suffix: "")
            }
            let rest = text[text.index(after: colon)...]
            let name = rest.prefix { $0 != "." }
            precondition(!name.isEmpty, "\(pattern) has a parameter without a name")
            names.append(String(name))
            let suffix = String(rest.dropFirst(name.count))
            return Segment(isParameter: true, prefix: String(text[..<colon]), suffix: suffix)
        }
        return (PathPattern(segments: segments), names)
    }

    /// Returns whether paths that match both patterns belong to this one.
    func precedes(_ other: PathPattern) -> Bool {
        segments.lexicographicallyPrecedes(other.segments) { $0.rank < $1.rank }
    }

    /// Returns the values of the parameters in a path with as many segments; nil if it doesn't
    /// match.
    ///
    /// `stem` is the last segment without `.json`, which ends a literal only if `acceptsSuffix`.
    func values(in path: [String], stem: String, acceptsSuffix: Bool) -> [String]? {
        var values: [String] = []
        let segments = segments.span
        // Patterns that are alike differ at their ends.
        for index in segments.indices.reversed() {
            let isLast = index == segments.count - 1
            let text = path[index]
            if segments[index].isParameter {
                let isStem = isLast && segments[index].suffix.isEmpty
                guard let value = segments[index].value(in: isStem ? stem : text) else {
                    return nil
                }
                values.insert(value, at: 0)
            } else {
                let isStem = isLast && acceptsSuffix && segments[index].isLiteral(stem)
                guard isStem || segments[index].isLiteral(text) else { return nil }
            }
        }
        return values
    }
}
