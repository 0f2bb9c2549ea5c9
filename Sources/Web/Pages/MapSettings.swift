/// The settings of the map of events.
package struct MapSettings: Equatable, Sendable {
    /// The URL of the tile images with `{z}`, `{x}` and `{y}`, or nil without tiles.
    let tiles: String?
    /// The attribution of the tiles.
    let credit: String

    /// The hosts of events' images, such as `images.example.com` or `*.example.com`.
    let imageHosts: [String]

    /// Whether events can be found by words.
    let searchesText: Bool

    package init(
        tiles: String? = nil,
        credit: String = "",
        imageHosts: [String] = [],
        searchesText: Bool = true
    ) {
        self.tiles = tiles
        self.credit = credit
        self.imageHosts = imageHosts
        self.searchesText = searchesText
    }

    /// The elements with the tiles and their credit for a page; empty without tiles.
    var tileElements: HTML {
        guard let tiles else { return "" }
        return """
            <meta name="map-tiles" content="\(value: tiles)">\
            <meta name="map-credit" content="\(value: credit)">
            """
    }

    /// The origin of the tile server, such as `https://tiles.example.com`.
    var tileOrigin: String? {
        tiles?.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
            .prefix(3).joined(separator: "/")
    }
}
