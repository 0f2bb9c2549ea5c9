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
    ) -> HTML {
        let systems =
            ServedSystem.allCases.filter { system in
                description.routes.contains { $0.system == system }
            }.map(Optional.some) + [nil]
        let version: HTML = version.isEmpty ? "" : "It runs Humon \(version). "
        return """
            \(head(titled: "Humon: the API", style: style))<body class="docs">\
            <a class="skip" href="#endpoints">Skip to the endpoints</a>\
            \(.header(description, current: "/docs"))<main><h1>API reference</h1>\
            <p class="lead">\(description.summary)</p><p>The server's address is \
            <code class="origin">\(.origin)</code>. \(version)\
            Open an endpoint to send a request from this page.</p>\
            \(credentials(systems))<details class="common"><summary>Common to all endpoints\
            </summary><ul>\(description.rules.map { "<li>\($0)</li>" })</ul></details>\
            \(navigation(systems))<div id="endpoints" tabindex="-1">\
            \(systems.map { section($0, of: description) })</div></main>\
            <script>\(HTML(unchanged: script))</script></body></html>

            """
    }

    /// Returns everything before the body of a page.
    static func head(titled title: String, style: String) -> HTML {
        """
        <!DOCTYPE html>
        <html lang="en"><head><meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark"><link rel="icon" href="data:,">\
        <title>\(title)</title><style>\(HTML(unchanged: style))</style></head>
        """
    }

    /// Returns the search field and the links to the systems, which don't scroll away.
    private static func navigation(_ systems: [ServedSystem?]) -> HTML {
        let links = systems.map(APIDescription.name).map { name -> HTML in
            "<li><a href=\"#\(value: name)\">\(name)</a></li>"
        }
        return """
            <div class="finder"><div class="scripted"><label for="search">Search endpoints</label>
            <input type="search" id="search" placeholder="Search endpoints, such as nearest" \
            autocomplete="off" spellcheck="false"><p id="found" role="status"></p></div>
            <nav aria-label="Systems"><ul>\(links)</ul></nav></div>
            """
    }

    /// Returns the purpose and the source of each credential.
    private static func credentials(_ systems: [ServedSystem?]) -> HTML {
        let credentials = PageCredential.allCases.filter { systems.contains($0.system) }
        guard !credentials.isEmpty else { return "" }
        let terms = credentials.map { credential -> HTML in
            """
            <div><dt>\(credential.name)</dt>\
            <dd>\(.prose("\(credential.purpose) \(credential.source)"))</dd></div>
            """
        }
        return """
            <details class="common" id="authentication"><summary>Authentication</summary>
            <dl class="credentials">\(terms)</dl>\
            <p class="scripted">Enter a credential in any form, and all forms use it. Tokens \
            from responses are filled in. The page forgets credentials when you close it.</p>\
            </details>
            """
    }

    private static func section(_ system: ServedSystem?, of description: APIDescription) -> HTML {
        let name = APIDescription.name(of: system)
        let routes = description.routes.filter { $0.system == system }
        var known = KnownParts()
        var common: HTML = ""
        if let shape = routes.first?.errorShape {
            common = """
                <details class="common"><summary>Other possible responses</summary>\
                \(EndpointSection.prose(of: shape.responses(ofPath: shape)))</details>
                """
        }
        return """
            <section aria-labelledby="\(value: name)"><h2 id="\(value: name)">\(name)</h2>\
            <p>\(APIDescription.meaning(of: system))</p>\
            \(routes.map { EndpointSection($0).html(&known) })\(common)</section>
            """
    }
}
