import HTTP
import OpenAPI

/// A line of shell that makes the request of an operation's examples.
struct CurlCommand {
    /// All before the server's address.
    private let beginning: String
    /// Path, query and all behind them.
    private let end: String

    init(_ route: APIDescription.Route) {
        let operation = route.operation
        var words = ["curl", "-g"]
        let content = operation.body?.contents.first { $0.example != nil }
        // With a body, curl makes it a POST by itself.
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
        end = Self.target(route.pattern, operation.parameters) + "'"
    }

    /// The line with a mark for the server's address.
    var text: String { beginning + String(OriginTemplate.mark) + end }

    /// Appends the line with a place for the server's address.
    func append(to html: inout HTMLText) {
        html.element("<code>", beginning, "<span class=\"origin\">")
        html.origin()
        html.element("</span>", end, "</code>")
    }

    /// Path and query of the example.
    private static func target(_ pattern: String, _ parameters: [Parameter]) -> String {
        var path = Document.path(of: pattern)
        for parameter in parameters where parameter.place == .path {
            path = path.split(separator: "{\(parameter.name)}", omittingEmptySubsequences: false)
                .joined(separator: parameter.example ?? "1")
        }
        let pairs = parameters.filter { $0.place == .query }.compactMap { parameter in
            parameter.example.map { "\(parameter.name)=\(PercentEncoding.encodedText($0))" }
        }
        return pairs.isEmpty ? path : path + "?" + pairs.joined(separator: "&")
    }

    /// The fields that say who is asking.
    private static func fields(of operation: Operation) -> [String] {
        switch operation.credentials.first?.place {
        case .header(let name): ["\(name): TOKEN"]
        case .bearer, .query: ["Authorization: Bearer TOKEN"]
        case nil:
            operation.parameters.compactMap { parameter in
                guard parameter.place == .header else { return nil }
                return parameter.example.map { "\(parameter.name): \($0)" }
            }
        }
    }

    /// The text as one word of a shell.
    private static func quoted(_ text: String) -> String {
        let parts = text.split(separator: "'", omittingEmptySubsequences: false)
        return "'" + parts.joined(separator: #"'\''"#) + "'"
    }
}
