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
        html = OriginTemplate(Self.html(description, files: files).text)
        text = OriginTemplate(Self.text(description))
        policy = ContentSecurityPolicy.text(style: files.style, script: files.script)
    }

    /// Returns the page if the client accepts HTML, otherwise the text.
    func response(to call: Call) -> Response {
        let isHTML = Self.acceptsHTML(call.request.headers["accept"] ?? "")
        return (isHTML ? html : text).response(
            to: call,
            isHTML ? .ofPage(policy: policy) : ["content-type": "text/plain; charset=utf-8"],
            varyingOn: "Accept, \(Call.addressFields)"
        )
    }

    /// Returns whether an `Accept` header contains `text/html` with a weight other than 0.
    private static func acceptsHTML(_ accept: String) -> Bool {
        accept.lowercased().split(separator: ",").contains { element in
            let parts = element.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" } }
            let weight = parts.dropFirst().first { $0.hasPrefix("q=") }?.dropFirst(2)
            return parts.first == "text/html" && weight.map { Double($0) != 0 } != false
        }
    }

    private static func html(_ description: APIDescription, files: PageFiles) -> HTML {
        let hasEvents = description.routes.contains { $0.system == .humon }
        let mapLink: HTML = """
            <a class="button" href="\(.prefix)/map">Open the map</a><a class="quiet button"
            """
        return """
            \(DocumentationPage.head(titled: "Humon", style: files.style))<body class="welcome">\
            \(.header(description, current: "/"))<main><h1>Humon is running</h1>\
            <p class="lead">\(description.summary)</p><p class="actions">\
            \(description.hasMap ? mapLink : "<a class=\"button\"") \
            href="\(.prefix)/docs">Try the API</a>\
            <a class="quiet button" href="\(.prefix)/openapi.json">OpenAPI 3.1</a></p>\
            \(hasEvents ? map(files.drawing, isLink: description.hasMap) : "")\
            \(steps(description))\(operatorLinks(description))</main>\
            <script>\(HTML(unchanged: files.script))</script></body></html>

            """
    }

    /// Returns the map without events, and the element for the number of events.
    private static func map(_ drawing: String, isLink: Bool) -> HTML {
        let image = HTML(unchanged: drawing)
        let content: HTML = isLink ? "<a href=\"\(.prefix)/map\">\(image)</a>" : image
        return """
            <figure id="world">\(content)<figcaption id="count" role="status"></figcaption></figure>
            """
    }

    /// Returns the operator's e-mail address and links to the terms and to the deletion of data, as
    /// far as there are any.
    private static func operatorLinks(_ description: APIDescription) -> HTML {
        let contact = description.contactEmail.map { email -> HTML in
            "<a href=\"mailto:\(value: email)\">\(email)</a>"
        }
        let terms = description.termsURL.map { url -> HTML in
            "<a href=\"\(value: url)\">Terms of use</a>"
        }
        let hasAccounts = description.routes.contains { $0.pattern == "/account/delete" }
        let deletion: HTML = "<a href=\"\(.prefix)/account/delete\">Delete your data</a>"
        let links = [contact, terms, hasAccounts ? deletion : nil].compactMap(\.self)
        return links.isEmpty ? "" : "<p class=\"actions\">\(links)</p>"
    }

    /// Returns the first commands with their responses.
    private static func steps(_ description: APIDescription) -> HTML {
        let hasTokens = description.routes.contains { $0.operation.id == steps[0] }
        let hint: HTML = """
            <p>Replace <code>SECRET</code> with the app secret (<code>humon examples</code> \
            shows it), and <code>TOKEN</code> with the <code>auth_token</code> of the first \
            response.</p>
            """
        let items = firstRoutes(of: description).map { route -> HTML in
            let success = route.operation.responses.first { (200..<300).contains($0.status.code) }
            let example = success?.contents.compactMap(\.example).first.map { example -> HTML in
                "<pre class=\"answer\"><code>\(example)</code></pre>"
            }
            return """
                <li><h3>\(route.operation.summary)</h3><div>\
                <pre class="curl">\(CurlCommand(route).html)</pre>\(example ?? "")</div></li>
                """
        }
        return """
            <section aria-labelledby="start"><h2 id="start">Start in a terminal</h2>\
            \(hasTokens ? hint : "")<ol class="steps">\(items)</ol></section>
            """
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
        text += """
            Documentation:  \(origin)/docs
            OpenAPI 3.1:    \(origin)/openapi.json

            """
        if description.routes.contains(where: { $0.pattern == "/account/delete" }) {
            text += "Delete data:    \(origin)/account/delete\n"
        }
        if let email = description.contactEmail { text += "Contact:        \(email)\n" }
        if let url = description.termsURL { text += "Terms of use:   \(url)\n" }
        return text
    }
}
