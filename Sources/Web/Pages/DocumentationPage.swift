import HTTP
import Model
import OpenAPI

/// The documentation as an HTML page: every endpoint by system, with a form to try each one.
///
/// Without JavaScript, everything except the forms works.
enum DocumentationPage {
    /// Returns the page with marks for the server's address; O(n) in the description.
    static func html(_ description: APIDescription, style: String, script: String) -> String {
        var html = HTMLText()
        appendHead(titled: "Humon: the API", style: style, to: &html)
        html.markup("<body><header><h1>Humon</h1>")
        html.element("<p>", description.summary, "</p>")
        html.markup("<p>At <code class=\"origin\">")
        html.origin()
        html.markup("</code>; as <a href=\"openapi.json\">OpenAPI 3.1</a>.</p>")
        let systems =
            ServedSystem.allCases.filter { system in
                description.routes.contains { $0.system == system }
            }.map(Optional.some) + [nil]
        appendNavigation(systems, to: &html)
        html.markup("</header><main>")
        appendCredentials(systems, to: &html)
        appendRules(description.rules, to: &html)
        for system in systems { append(system, of: description, to: &html) }
        html.markup("</main><script>")
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

    private static func appendNavigation(_ systems: [ServedSystem?], to html: inout HTMLText) {
        html.markup("<nav aria-label=\"Systems\"><ul>")
        for system in systems {
            let name = APIDescription.name(of: system)
            html.markup("<li><a")
            html.attribute("href", "#\(name)")
            html.element(">", name, "</a></li>")
        }
        html.markup("</ul></nav>")
    }

    private static func appendCredentials(_ systems: [ServedSystem?], to html: inout HTMLText) {
        html.markup(
            """
            <section class="scripted" aria-labelledby="keys">
            <h2 id="keys">Authentication</h2>
            <p>The forms below send these credentials. They stay in this page and are gone when \
            you close it. A response that contains a token fills it in.</p><div class="fields">
            """
        )
        let fields: [(id: String, label: String, system: ServedSystem)] = [
            ("secret", "App secret", .humon), ("humon-token", "Humon token", .humon),
            ("todo-token", "Todo token", .todo),
        ]
        for field in fields where systems.contains(field.system) {
            html.markup("<label>")
            html.escaped(field.label)
            html.markup("<input type=\"password\" autocomplete=\"off\"")
            html.attribute("id", field.id)
            html.markup("></label>")
        }
        html.markup("</div></section>")
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
        for route in routes { EndpointSection(route).append(to: &html) }
        if let shape = routes.first?.errorShape { append(shape, to: &html) }
        html.markup("</section>")
    }

    /// Appends the responses that are possible for every endpoint of a system.
    private static func append(_ shape: ErrorShape, to html: inout HTMLText) {
        html.markup(
            "<details class=\"common\"><summary>Other possible responses</summary><dl>"
        )
        for response in shape.responses(ofPath: shape) {
            EndpointSection.append(response, to: &html)
        }
        html.markup("</dl></details>")
    }
}
