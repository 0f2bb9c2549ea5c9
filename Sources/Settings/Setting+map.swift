extension Setting {
    /// The settings of the map of events.
    static let map: [Setting] = [
        Setting(
            "MAP",
            "Whether the server has a map of events at /map.",
            details: "The map needs the humon API.",
            allowed: "on or off",
            default: "on",
            text: { $0.hasMap ? "on" : "off" },
            store: { text, configuration in
                let word = text.lowercased()
                configuration.hasMap = word == "on"
                return word == "on" || word == "off"
            }
        ),
        Setting(
            "MAP_TILES",
            "The URL of the tile images that the map shows.",
            details: """
                Without tiles, the map shows coasts, borders and cities, and loads nothing from \
                other hosts. With tiles, browsers that open the map send the tile server their IP \
                address, the address of this server and the visible part of the map.
                """,
            allowed: "off, or a URL such as https://tiles.example.com/{z}/{x}/{y}.png",
            default: "off",
            text: { $0.mapTiles ?? "off" },
            store: { text, configuration in
                configuration.mapTiles = text.lowercased() == "off" ? nil : text
                return configuration.mapTiles.map(isTileURL) ?? true
            }
        ),
        Setting(
            "MAP_TILES_CREDIT",
            "The attribution to show for the map tiles, which most tile servers require.",
            allowed: "none, or up to 200 characters such as © OpenStreetMap contributors",
            default: "none",
            text: { $0.mapCredit.isEmpty ? "none" : $0.mapCredit },
            store: { text, configuration in
                configuration.mapCredit = text.lowercased() == "none" ? "" : text
                return text.unicodeScalars.count <= 200
                    && text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
            }
        ),
    ]

    /// Returns whether the text is a URL with an origin, and with each of `{z}`, `{x}` and `{y}`
    /// once in its path or query.
    private static func isTileURL(_ text: String) -> Bool {
        let parts = text.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count == 4, isOrigin(parts[0...2].joined(separator: "/")) else { return false }
        var path = String(parts[3])
        for name in ["{z}", "{x}", "{y}"] {
            let pieces = path.split(separator: name, omittingEmptySubsequences: false)
            guard pieces.count == 2 else { return false }
            path = pieces.joined(separator: "0")
        }
        return path.utf8.allSatisfy(isURLCharacter)
    }

    /// Returns whether the byte can be in the path or query of a URL (RFC 3986, appendix A).
    private static func isURLCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "-._~:/?@!$&()*+,;=%".utf8.contains(byte)
        }
    }
}
