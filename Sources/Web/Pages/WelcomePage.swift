import HTTP
import Model

/// The page at `/`: a summary of the server, a map of its events, and the first commands.
///
/// The HTML is the same for all clients and needs no query. The page's script adds the events to
/// the map.
struct WelcomePage: Sendable {
    private let html: OriginTemplate
    private let text: OriginTemplate
    private let policy: String

    /// Creates both formats of the page.
    init(_ description: APIDescription, files: PageFiles) {
        html = OriginTemplate(Self.html(description, files: files))
        text = OriginTemplate(Self.text(description))
        policy = ContentSecurityPolicy.text(style: files.style, script: files.script)
    }

    /// Returns the page if the client accepts HTML, otherwise the text.
    func response(to call: Call) -> Response {
        var response: Response
        if Self.acceptsHTML(call.request.headers["accept"] ?? "") {
            response = .page(html.bytes(for: call), policy: policy)
        } else {
            let type = "text/plain; charset=utf-8"
            response = Response(.ok, headers: ["content-type": type], body: text.bytes(for: call))
        }
        response.headers.vary(on: "Accept, \(Call.addressFields)")
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

    private static func html(_ description: APIDescription, files: PageFiles) -> String {
        var html = HTMLText()
        DocumentationPage.appendHead(titled: "Humon", style: files.style, to: &html)
        html.markup("<body class=\"welcome\">")
        PageHeader(description, current: "/").append(to: &html)
        html.markup("<main><h1>Humon is running</h1>")
        html.element("<p class=\"lead\">", description.summary, "</p><p class=\"actions\">")
        let hasMap = description.hasMap
        if hasMap {
            html.markup("<a class=\"button\"")
            html.href("/map")
            html.markup(">Open the map</a>")
        }
        html.markup(hasMap ? "<a class=\"quiet button\"" : "<a class=\"button\"")
        html.href("/docs")
        html.markup(">Try the API</a><a class=\"quiet button\"")
        html.href("/openapi.json")
        html.markup(">OpenAPI 3.1</a></p>")
        if description.routes.contains(where: { $0.system == .humon }) {
            appendMap(files.drawing, isLink: hasMap, to: &html)
        }
        appendSteps(description, to: &html)
        html.markup("</main><script>")
        html.embedded(files.script)
        html.markup("</script></body></html>\n")
        return html.text
    }

    /// Appends the map without events, and the element for the number of events.
    private static func appendMap(_ drawing: String, isLink: Bool, to html: inout HTMLText) {
        html.markup("<figure id=\"world\">")
        if isLink {
            html.markup("<a")
            html.href("/map")
            html.markup(">")
        }
        html.embedded(drawing)
        if isLink { html.markup("</a>") }
        html.markup("<figcaption id=\"count\" role=\"status\"></figcaption></figure>")
    }

    /// Appends the first commands with their responses.
    private static func appendSteps(_ description: APIDescription, to html: inout HTMLText) {
        html.markup("<section aria-labelledby=\"start\"><h2 id=\"start\">Start in a terminal</h2>")
        if description.routes.contains(where: { $0.operation.id == steps[0] }) {
            html.markup(
                """
                <p>Replace <code>SECRET</code> with the app secret (<code>humon examples</code> \
                shows it), and <code>TOKEN</code> with the <code>auth_token</code> of the first \
                response.</p>
                """
            )
        }
        html.markup("<ol class=\"steps\">")
        for route in firstRoutes(of: description) {
            html.element("<li><h3>", route.operation.summary, "</h3><div><pre class=\"curl\">")
            CurlCommand(route).append(to: &html)
            html.markup("</pre>")
            let success = route.operation.responses.first { (200..<300).contains($0.status.code) }
            if let example = success?.contents.compactMap(\.example).first {
                html.element("<pre class=\"answer\"><code>", example, "</code></pre>")
            }
            html.markup("</div></li>")
        }
        html.markup("</ol></section>")
    }

    /// The ids of the operations whose commands the page shows, if Humon is served.
    private static let steps = ["createUser", "createEvent", "nearestEvents"]

    private static func firstRoutes(of description: APIDescription) -> [Route] {
        let found = steps.compactMap { id in
            description.routes.first { $0.operation.id == id }
        }
        return found.isEmpty ? Array(description.routes.prefix(1)) : found
    }

    private static func text(_ description: APIDescription) -> String {
        let origin = String(OriginTemplate.mark)
        var text = "Humon. \(description.summary)\n\n"
        if let first = description.routes.first { text += "    \(CurlCommand(first).text)\n\n" }
        if description.hasMap { text += "Map of events:  \(origin)/map\n" }
        return text + """
            Documentation:  \(origin)/docs
            OpenAPI 3.1:    \(origin)/openapi.json

            """
    }
}
