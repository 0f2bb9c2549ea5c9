import HTTP

/// The page at `/`: what the server is, and where to continue.
struct WelcomePage: Sendable {
    private let html: OriginTemplate
    private let text: OriginTemplate
    private let policy: String

    /// Creates both formats of the page.
    init(_ description: APIDescription, style: String) {
        html = OriginTemplate(Self.html(description, style: style))
        text = OriginTemplate(Self.text(description))
        policy = ContentSecurityPolicy.text(style: style, script: nil)
    }

    /// Returns the page if the client accepts HTML, otherwise the text.
    func response(to request: Request) -> Response {
        let origin = OriginTemplate.origin(of: request)
        var response: Response
        if Self.acceptsHTML(request.headers["accept"] ?? "") {
            response = .page(html.bytes(origin: origin), policy: policy)
        } else {
            let type = "text/plain; charset=utf-8"
            response = Response(
                .ok,
                headers: ["content-type": type],
                body: text.bytes(origin: origin)
            )
        }
        response.headers.append("vary", "Accept")
        return response
    }

    /// Returns whether an `Accept` header contains `text/html` with a weight other than 0.
    private static func acceptsHTML(_ accept: String) -> Bool {
        accept.lowercased().split(separator: ",").contains { element in
            let parts = element.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" } }
            let weight = parts.dropFirst().first { $0.hasPrefix("q=") }?.dropFirst(2)
            return parts.first == "text/html" && weight.map { Double($0) != 0 } != false
        }
    }

    private static func html(_ description: APIDescription, style: String) -> String {
        var html = HTMLText()
        DocumentationPage.appendHead(titled: "Humon", style: style, to: &html)
        html.markup("<body><main class=\"welcome\"><h1>Humon</h1>")
        html.element("<p>", description.summary, "</p>")
        html.markup(
            """
            <p><a class="button" href="docs">Read the documentation</a></p>
            <p>Or start in a terminal:</p><pre>
            """
        )
        if let first = description.routes.first { CurlCommand(first).append(to: &html) }
        html.markup("</pre><p>For programs: <a href=\"openapi.json\">OpenAPI 3.1</a>.</p>")
        html.markup("</main></body></html>\n")
        return html.text
    }

    private static func text(_ description: APIDescription) -> String {
        let origin = String(OriginTemplate.mark)
        var text = "Humon. \(description.summary)\n\n"
        if let first = description.routes.first { text += "    \(CurlCommand(first).text)\n\n" }
        return text + """
            Documentation:  \(origin)/docs
            OpenAPI 3.1:    \(origin)/openapi.json

            """
    }
}
