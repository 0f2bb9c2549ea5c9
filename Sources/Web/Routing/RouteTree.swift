import HTTP

/// The routes as a tree of path segments; a route is only a number here.
///
/// Nodes and edges are numbers in arrays, so that following a path involves no reference counting.
struct RouteTree: Sendable {
    /// The result of matching a path.
    struct Match {
        /// The index in `endpoints`.
        let endpoint: Int
        /// The values of the parameters, from left to right.
        let values: [String]
        /// Whether the last segment ends with `.json`.
        let namesJSON: Bool
    }

    /// The values of the parameters so far, and whether the last segment ends with `.json`.
    private struct Reading {
        var values: [String] = []
        var namesJSON = false
    }

    private struct Node: Sendable {
        var firstLiteral: Int?
        var firstParameter: Int?
        var endpoint: Int?
    }

    /// An edge between two nodes, in a linked list of all edges from the same node.
    private struct Edge: Sendable {
        /// The range of the literal or the parameter's prefix in `texts`.
        let text: Range<Int>
        /// The range of the parameter's suffix in `texts`; empty for a literal.
        let suffix: Range<Int>
        let child: Int
        var next: Int?

        var textCount: Int { text.count + suffix.count }
    }

    private static let slash = UInt8(ascii: "/")
    private let suffix = Array(".json".utf8)

    private(set) var endpoints: [PathMethods] = []
    private var nodes = [Node()]
    private var edges: [Edge] = []
    private var texts: [UInt8] = []

    /// Adds the route for a method and pattern; traps if there already is one.
    ///
    /// The first route of a pattern decides whether its paths can also end with `.json`.
    mutating func insert(
        _ route: Int,
        _ method: Method,
        _ pattern: PathPattern,
        acceptsSuffix: Bool
    ) {
        var node = 0
        for segment in pattern.segments { node = child(of: node, for: segment) }
        let index = nodes[node].endpoint ?? endpoints.count
        if index == endpoints.count {
            endpoints.append(PathMethods(acceptsSuffix: acceptsSuffix))
            nodes[node].endpoint = index
        }
        endpoints[index].insert(route, for: method)
    }

    /// Returns the endpoint for a path, or nil; O(length) unless it must backtrack.
    ///
    /// Literals take precedence over parameters. The path can end with one slash or with `.json`,
    /// which are not part of a parameter.
    func match(_ path: String) -> Match? {
        let bytes = path.utf8.span
        guard bytes.count > 0, bytes[0] == Self.slash else { return nil }
        var reading = Reading()
        let endpoint =
            bytes.count == 1 ? nodes[0].endpoint : match(bytes, from: 1, at: 0, &reading)
        return endpoint.map { endpoint in
            Match(endpoint: endpoint, values: reading.values, namesJSON: reading.namesJSON)
        }
    }
}

// MARK: Following a path

extension RouteTree {
    /// Matches the path from the segment that starts at `start`.
    private func match(
        _ path: Span<UInt8>,
        from start: Int,
        at node: Int,
        _ reading: inout Reading
    ) -> Int? {
        var end = start
        var isEncoded = false
        while end < path.count, path[end] != Self.slash {
            if path[end] == UInt8(ascii: "%") { isEncoded = true }
            end += 1
        }
        let segment = path.extracting(start..<end)
        guard isEncoded else { return match(segment, of: path, before: end, at: node, &reading) }
        guard let decoded = PercentEncoding.decodedSegment(segment) else { return nil }
        return match(decoded.utf8.span, of: path, before: end, at: node, &reading)
    }

    /// Matches a decoded segment and the rest of the path, which continues at `end`.
    private func match(
        _ segment: Span<UInt8>,
        of path: Span<UInt8>,
        before end: Int,
        at node: Int,
        _ reading: inout Reading
    ) -> Int? {
        if end + 1 >= path.count { return matchLast(segment, at: node, &reading) }
        if let child = literal(segment, at: node),
            let found = match(path, from: end + 1, at: child, &reading)
        {
            return found
        }
        var edge = nodes[node].firstParameter
        while let index = edge {
            edge = edges[index].next
            guard let value = value(of: segment, for: edges[index]) else { continue }
            reading.values.append(value)
            if let found = match(path, from: end + 1, at: edges[index].child, &reading) {
                return found
            }
            reading.values.removeLast()
        }
        return nil
    }

    private func matchLast(
        _ segment: Span<UInt8>,
        at node: Int,
        _ reading: inout Reading
    ) -> Int? {
        let stem = segment.extracting(first: segment.count(without: suffix))
        reading.namesJSON = stem.count < segment.count
        if let child = literal(segment, at: node), let found = nodes[child].endpoint {
            return found
        }
        if reading.namesJSON, let child = literal(stem, at: node),
            let found = nodes[child].endpoint, endpoints[found].acceptsSuffix
        {
            return found
        }
        var edge = nodes[node].firstParameter
        while let index = edge {
            edge = edges[index].next
            let text = edges[index].suffix.isEmpty ? stem : segment
            guard let found = nodes[edges[index].child].endpoint,
                let value = value(of: text, for: edges[index])
            else { continue }
            reading.values.append(value)
            return found
        }
        return nil
    }

    /// Returns the child of a node for this literal.
    private func literal(_ segment: Span<UInt8>, at node: Int) -> Int? {
        var edge = nodes[node].firstLiteral
        while let index = edge {
            let text = edges[index].text
            if text.count == segment.count, texts.span.extracting(text).equals(segment) {
                return edges[index].child
            }
            edge = edges[index].next
        }
        return nil
    }

    /// Returns the part of a segment between a parameter's prefix and its suffix.
    ///
    /// Returns nil if the part is empty, or if the segment lacks the prefix or the suffix.
    private func value(of segment: Span<UInt8>, for edge: Edge) -> String? {
        let (prefix, suffix) = (edge.text, edge.suffix)
        let end = segment.count - suffix.count
        guard end > prefix.count,
            segment.extracting(first: prefix.count).equals(texts.span.extracting(prefix)),
            segment.extracting(droppingFirst: end).equals(texts.span.extracting(suffix)),
            let text = try? UTF8Span(validating: segment.extracting(prefix.count..<end))
        else { return nil }
        return String(copying: text)
    }
}

// MARK: Growing

extension RouteTree {
    /// Returns the child of a node for a segment of a pattern, and creates it if necessary.
    private mutating func child(of node: Int, for segment: PathPattern.Segment) -> Int {
        let text: String
        var suffix = ""
        let known: [Int]
        switch segment {
        case .literal(let literal):
            text = literal
            known = chain(from: nodes[node].firstLiteral)
        case .parameter(let prefix, _, let ending):
            text = prefix
            suffix = ending
            known = chain(from: nodes[node].firstParameter)
        }
        let same = known.first { index in
            texts[edges[index].text].elementsEqual(text.utf8)
                && texts[edges[index].suffix].elementsEqual(suffix.utf8)
        }
        if let same { return edges[same].child }
        let new = addEdge(text, suffix)
        // Longer texts come first, and a parameter without a prefix and a suffix comes last.
        let chain = (known + [new]).sorted { edges[$0].textCount > edges[$1].textCount }
        for (edge, next) in zip(chain, chain.dropFirst()) { edges[edge].next = next }
        edges[chain[chain.count - 1]].next = nil
        switch segment {
        case .literal: nodes[node].firstLiteral = chain[0]
        case .parameter: nodes[node].firstParameter = chain[0]
        }
        return edges[new].child
    }

    /// Adds a node and an edge to it, and returns the edge.
    private mutating func addEdge(_ text: String, _ suffix: String) -> Int {
        let start = texts.count
        texts += text.utf8
        let end = texts.count
        texts += suffix.utf8
        edges.append(
            Edge(text: start..<end, suffix: end..<texts.count, child: nodes.count)
        )
        nodes.append(Node())
        return edges.count - 1
    }

    private func chain(from first: Int?) -> [Int] {
        var chain: [Int] = []
        var edge = first
        while let index = edge {
            chain.append(index)
            edge = edges[index].next
        }
        return chain
    }
}

extension Span<UInt8> {
    /// Returns the number of bytes before the suffix, or of all bytes without it.
    fileprivate func count(without suffix: [UInt8]) -> Int {
        let start = count - suffix.count
        let isThere = start >= 0 && extracting(droppingFirst: start).equals(suffix.span)
        return isThere ? start : count
    }
}
