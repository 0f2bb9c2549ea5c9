/// A path pattern such as `/v1/events/:id`, in segments.
///
/// A segment is a literal, a parameter `:name`, or a parameter with a literal prefix or suffix, as
/// in `~:name` and `:id.ics`. Patterns are part of the source, so a malformed one traps at
/// start-up.
struct PathPattern {
    enum Segment {
        case literal(String)
        case parameter(prefix: String, name: String, suffix: String)
    }

    let segments: [Segment]

    /// The names of the parameters, from left to right.
    var parameterNames: [String] {
        segments.compactMap { segment in
            if case .parameter(_, let name, _) = segment { name } else { nil }
        }
    }

    init(_ pattern: String) {
        precondition(pattern.hasPrefix("/"), "\(pattern) does not begin with a slash")
        guard pattern != "/" else {
            segments = []
            return
        }
        let texts = pattern.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        segments = texts.map { text in
            precondition(!text.isEmpty, "\(pattern) has an empty segment")
            guard let colon = text.firstIndex(of: ":") else { return .literal(String(text)) }
            let rest = text[text.index(after: colon)...]
            let name = rest.prefix { $0 != "." }
            precondition(!name.isEmpty, "\(pattern) has a parameter without a name")
            return .parameter(
                prefix: String(text[..<colon]),
                name: String(name),
                suffix: String(rest.dropFirst(name.count))
            )
        }
    }
}
