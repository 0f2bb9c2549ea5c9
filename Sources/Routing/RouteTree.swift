import HTTP

/// The routes as a tree of path segments; knows a route by its number alone.
///
/// It is not generic, so that it is compiled once and needs no specialising where it is used.
struct RouteTree: Sendable {
    /// Where a path leads.
    struct Match {
        let endpoint: Endpoint
        /// The values of the parameters, from left to right.
        let values: [String]
    }

    private struct Node: Sendable {
        var literals: [(segment: String, child: Int)] = []
        /// A longer prefix stands before a shorter one, and one without a prefix is the last.
        var parameters: [(prefix: String, child: Int)] = []
        var endpoint: Int?
    }

    private static let slash = UInt8(ascii: "/")
    private static let suffix = ".json"

    private(set) var endpoints: [Endpoint] = []
    private var nodes = [Node()]

    /// Makes `route` the answer to this method at the paths of this pattern; if there is one, the
    /// program ends.
    mutating func insert(_ route: Int, _ method: Method, _ pattern: PathPattern) {
        var node = 0
        for segment in pattern.segments { node = child(of: node, for: segment) }
        let index = nodes[node].endpoint ?? endpoints.count
        if index == endpoints.count {
            endpoints.append(Endpoint())
            nodes[node].endpoint = index
        }
        endpoints[index].insert(route, for: method)
    }

    /// What a path leads to, in O(segments) unless it has to go back; nil if it leads nowhere.
    ///
    /// Literals win over parameters. The path may end with one slash or with `.json`, which then
    /// belong to no parameter.
    func match(_ path: String) -> Match? {
        let bytes = path.utf8.span
        guard bytes.count > 0, bytes[0] == Self.slash else { return nil }
        var values: [String] = []
        let endpoint =
            bytes.count == 1 ? nodes[0].endpoint : match(bytes, from: 1, at: 0, &values)
        return endpoint.map { Match(endpoint: endpoints[$0], values: values) }
    }

    /// Follows the path from the segment that begins at `start`.
    private func match(
        _ path: Span<UInt8>,
        from start: Int,
        at node: Int,
        _ values: inout [String]
    ) -> Int? {
        var end = start
        var isEncoded = false
        while end < path.count, path[end] != Self.slash {
            if path[end] == UInt8(ascii: "%") { isEncoded = true }
            end += 1
        }
        let segment = path.extracting(start..<end)
        guard isEncoded else { return match(segment, of: path, before: end, at: node, &values) }
        guard let decoded = PercentEncoding.decodedSegment(segment) else { return nil }
        return match(decoded.utf8.span, of: path, before: end, at: node, &values)
    }

    /// Follows the path over a decoded segment, behind which it goes on at `end`.
    private func match(
        _ segment: Span<UInt8>,
        of path: Span<UInt8>,
        before end: Int,
        at node: Int,
        _ values: inout [String]
    ) -> Int? {
        if end + 1 >= path.count { return matchLast(segment, at: node, &values) }
        for (literal, child) in nodes[node].literals where segment.equals(literal) {
            if let found = match(path, from: end + 1, at: child, &values) { return found }
        }
        for (prefix, child) in nodes[node].parameters {
            guard let value = segment.value(behind: prefix) else { continue }
            values.append(value)
            if let found = match(path, from: end + 1, at: child, &values) { return found }
            values.removeLast()
        }
        return nil
    }

    private func matchLast(
        _ segment: Span<UInt8>,
        at node: Int,
        _ values: inout [String]
    ) -> Int? {
        let stem = segment.extracting(first: segment.count(without: Self.suffix))
        for (literal, child) in nodes[node].literals where segment.equals(literal) {
            if let endpoint = nodes[child].endpoint { return endpoint }
        }
        for (literal, child) in nodes[node].literals where stem.equals(literal) {
            if let endpoint = nodes[child].endpoint { return endpoint }
        }
        for (prefix, child) in nodes[node].parameters {
            guard let endpoint = nodes[child].endpoint,
                let value = stem.value(behind: prefix)
            else { continue }
            values.append(value)
            return endpoint
        }
        return nil
    }

    /// The child of a node for a segment of a pattern, which is made if there is none.
    private mutating func child(of node: Int, for segment: PathPattern.Segment) -> Int {
        let new = nodes.count
        switch segment {
        case .literal(let text):
            if let known = nodes[node].literals.first(where: { $0.segment == text }) {
                return known.child
            }
            nodes[node].literals.append((text, new))
        case .parameter(let prefix, _):
            if let known = nodes[node].parameters.first(where: { $0.prefix == prefix }) {
                return known.child
            }
            nodes[node].parameters.append((prefix, new))
            nodes[node].parameters.sort { $0.prefix.utf8.count > $1.prefix.utf8.count }
        }
        nodes.append(Node())
        return new
    }
}

extension Span<UInt8> {
    fileprivate func equals(_ text: String) -> Bool {
        count == text.utf8.count && begins(with: text)
    }

    fileprivate func begins(with prefix: String) -> Bool {
        guard count >= prefix.utf8.count else { return false }
        var index = 0
        for byte in prefix.utf8 {
            if self[index] != byte { return false }
            index += 1
        }
        return true
    }

    /// The number of bytes before the suffix; of all of them if they don't end with it.
    fileprivate func count(without suffix: String) -> Int {
        let start = count - suffix.utf8.count
        guard start >= 0, extracting(droppingFirst: start).equals(suffix) else { return count }
        return start
    }

    /// What follows the prefix, if these bytes begin with it and it is not all of them.
    fileprivate func value(behind prefix: String) -> String? {
        let start = prefix.utf8.count
        guard count > start, begins(with: prefix),
            let text = try? UTF8Span(validating: extracting(droppingFirst: start))
        else { return nil }
        return String(copying: text)
    }
}
