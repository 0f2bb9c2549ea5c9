import HTTP
import Model

/// The documentation as an HTML page: every endpoint by system, with a form to try each one.
///
/// Without JavaScript, everything except the forms works.
enum DocumentationPage {
    /// Returns the page with marks for the server's address; O(n) in the description.
    ///
    /// `version` is the server's; it is not shown if it is empty.
    static func html(
        _ description: APIDescription,
        version: String,
        style: String,
        script: String
    ) -> String {
        var html = HTMLText()
        appendHead(titled: "Humon: the API", style: style, to: &html)
        html.markup(
            "<body class=\"docs\"><a class=\"skip\" href=\"#endpoints\">Skip to the endpoints</a>"
        )
        PageHeader(description, current: "/docs").append(to: &html)
        html.markup("<main><h1>API reference</h1>")
        html.element("<p class=\"lead\">", description.summary, "</p>")
        html.markup("<p>The server's address is <code class=\"origin\">")
        html.origin()
        html.markup("</code>. ")
        if !version.isEmpty { html.element("It runs Humon ", version, ". ") }
        html.markup("Open an endpoint to send a request from this page.</p>")
        let systems =
            ServedSystem.allCases.filter { system in
                description.routes.contains { $0.system == system }
            }.map(Optional.some) + [nil]
        appendCredentials(systems, to: &html)
        appendRules(description.rules, to: &html)
        appendNavigation(systems, to: &html)
        html.markup("<div id=\"endpoints\" tabindex=\"-1\">")
        for system in systems { append(system, of: description, to: &html) }
        html.markup("</div></main><script>")
        html.embedded(script)
        html.markup("</script></body></html>\n")
        return html.text
    }

    /// Appends everything before the body of a page.
    static func appendHead(titled title: String, style: String, to html: inout HTMLText) {
        html.markup(
            """
            <!DOCTYPE html>
            <html lang="en"><head><meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark"><link rel="icon" href="data:,">
            """
        )
        html.element("<title>", title, "</title><style>")
        html.embedded(style)
        html.markup("</style></head>")
    }

    /// Appends the search field and the links to the systems, which don't scroll away.
    private static func appendNavigation(_ systems: [ServedSystem?], to html: inout HTMLText) {
        html.markup(
            """
            <div class="finder"><div class="scripted"><label for="search">Search endpoints</label>
            <input type="search" id="search" placeholder="Search endpoints, such as nearest" \
            autocomplete="off" spellcheck="false"><p id="found" role="status"></p></div>
            <nav aria-label="Systems"><ul>
            """
        )
        for system in systems {
            let name = APIDescription.name(of: system)
            html.markup("<li><a")
            html.attribute("href", "#\(name)")
            html.element(">", name, "</a></li>")
        }
        html.markup("</ul></nav></div>")
    }

    /// Appends the purpose and the source of each credential.
    private static func appendCredentials(_ systems: [ServedSystem?], to html: inout HTMLText) {
        let credentials = PageCredential.allCases.filter { systems.contains($0.system) }
        guard !credentials.isEmpty else { return }
        html.markup(
            """
            <details class="common" id="authentication"><summary>Authentication</summary>
            <dl class="credentials">
            """
        )
        for credential in credentials {
            html.element("<div><dt>", credential.name, "</dt><dd>")
            html.prose("\(credential.purpose) \(credential.source)")
            html.markup("</dd></div>")
        }
        html.markup(
            """
            </dl><p class="scripted">Enter a credential in any form, and all forms use it. Tokens \
            from responses are filled in. The page forgets credentials when you close it.</p>\
            </details>
            """
        )
    }

    private static func appendRules(_ rules: [String], to html: inout HTMLText) {
        html.markup(
            "<details class=\"common\"><summary>Common to all endpoints</summary><ul>"
        )
        for rule in rules { html.element("<li>", rule, "</li>") }
        html.markup("</ul></details>")
    }

    private static func append(
        _ system: ServedSystem?,
        of description: APIDescription,
        to html: inout HTMLText
    ) {
        let name = APIDescription.name(of: system)
        html.markup("<section")
        html.attribute("aria-labelledby", name)
        html.markup("><h2")
        html.attribute("id", name)
        html.element(">", name, "</h2>")
        html.element("<p>", APIDescription.meaning(of: system), "</p>")
        let routes = description.routes.filter { $0.system == system }
        var known = KnownParts()
        for route in routes { EndpointSection(route).append(to: &html, known: &known) }
        if let shape = routes.first?.errorShape { append(shape, to: &html) }
        html.markup("</section>")
    }

    /// Appends the responses that are possible for every endpoint of a system.
    private static func append(_ shape: ErrorShape, to html: inout HTMLText) {
        html.markup("<details class=\"common\"><summary>Other possible responses</summary>")
        html.embedded(EndpointSection.prose(of: shape.responses(ofPath: shape)))
        html.markup("</details>")
    }
}
