import HTTP

/// A shell command that sends the request of an operation's example.
struct CurlCommand {
    /// The part before the server's address.
    private let beginning: String
    /// The path, the query and everything after them.
    private let end: String

    init(_ route: Route) {
        let operation = route.operation
        var words = ["curl", "-g"]
        let content = operation.body?.contents.first { $0.example != nil }
        // With a body, curl sends POST by default.
        if route.method != (content == nil ? .get : .post) {
            words += ["-X", route.method.rawValue]
        }
        for field in Self.fields(of: operation) { words += ["-H", Self.quoted(field)] }
        if let content, let example = content.example {
            if content.mediaType == Content.jsonType {
                words += ["-H", Self.quoted("Content-Type: \(content.mediaType)")]
            }
            words += ["-d", Self.quoted(example)]
        }
        beginning = words.joined(separator: " ") + " '"
        end = Self.target(route.pattern, operation) + "'"
    }

    /// The command with a mark for the server's address.
    var text: String { beginning + String(OriginTemplate.mark) + end }

    /// The command with a place for the server's address.
    var html: HTML { "<code>\(beginning)\(.origin)\(end)</code>" }

    /// Returns the path and query of the example.
    private static func target(_ pattern: String, _ operation: Operation) -> String {
        var path = Document.path(of: pattern)
        for parameter in operation.parameters where parameter.place == .path {
            path = path.split(separator: "{\(parameter.name)}", omittingEmptySubsequences: false)
                .joined(separator: parameter.example ?? "1")
        }
        let pairs = operation.formParameters.shown.filter { $0.place == .query }.compactMap {
            parameter in
            parameter.example.map { "\(parameter.name)=\(PercentEncoding.encodedText($0))" }
        }
        return pairs.isEmpty ? path : path + "?" + pairs.joined(separator: "&")
    }

    /// Returns the headers with credentials, or the examples of other headers.
    private static func fields(of operation: Operation) -> [String] {
        switch operation.credentials.first?.place {
        case .header(let name): operation.isOpen ? [] : ["\(name): TOKEN"]
        case .bearer, .query: operation.isOpen ? [] : ["Authorization: Bearer TOKEN"]
        case nil:
            operation.parameters.compactMap { parameter in
                guard parameter.place == .header else { return nil }
                return parameter.example.map { "\(parameter.name): \($0)" }
            }
        }
    }

    /// Returns the text quoted as one word of a shell.
    private static func quoted(_ text: String) -> String {
        let parts = text.split(separator: "'", omittingEmptySubsequences: false)
        return "'" + parts.joined(separator: #"'\''"#) + "'"
    }
}
