extension HTML {
    /// Returns the links to the server's pages, at the top of each of them.
    ///
    /// `current` is the path of the page.
    static func header(_ description: APIDescription, current: String) -> HTML {
        let names = [("/map", "Map"), ("/docs", "API"), ("/openapi.json", "OpenAPI")]
        let links = names.filter { link in description.routes.contains { $0.pattern == link.0 } }
            .map { path, name -> HTML in
                let mark: HTML = path == current ? " aria-current=\"page\"" : ""
                return "<a href=\"\(.prefix)\(value: path)\"\(mark)>\(name)</a>"
            }
        return """
            <header><nav aria-label="Pages"><a class="brand" href="\(.prefix)/">Humon</a>\
            \(links)</nav></header>
            """
    }
}
