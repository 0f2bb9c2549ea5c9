/// The links to the server's pages, at the top of each of them.
struct PageHeader {
    private let links: [(path: String, name: String)]
    private let current: String

    /// Creates the header of the page at the path `current`, with links to the pages of the server.
    init(_ description: APIDescription, current: String) {
        let names = [("/map", "Map"), ("/docs", "API"), ("/openapi.json", "OpenAPI")]
        links = names.filter { link in description.routes.contains { $0.pattern == link.0 } }
        self.current = current
    }

    /// Appends the header.
    func append(to html: inout HTMLText) {
        html.markup("<header><nav aria-label=\"Pages\"><a class=\"brand\"")
        html.href("/")
        html.markup(">Humon</a>")
        for link in links {
            html.markup("<a")
            html.href(link.path)
            if link.path == current { html.markup(" aria-current=\"page\"") }
            html.element(">", link.name, "</a>")
        }
        html.markup("</nav></header>")
    }
}
