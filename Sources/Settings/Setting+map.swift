import HTTP

extension Setting {
    /// The settings of the map of events.
    static let map: [Setting] = [
        .onOff(
            "MAP",
            "Whether the server has a map of events at /map.",
            details: "The map needs the humon API.",
            \.hasMap
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
            \.mapTiles,
            text: { $0 ?? "off" },
            parse: { $0.lowercased() == "off" ? .some(nil) : isTileURL($0) ? .some($0) : nil }
        ),
        Setting(
            "MAP_TILES_CREDIT",
            "The attribution to show for the map tiles, which most tile servers require.",
            allowed: "none, or up to 200 characters such as © OpenStreetMap contributors",
            \.mapCredit,
            text: { $0.isEmpty ? "none" : $0 },
            parse: { text in
                let scalars = text.unicodeScalars
                let isShown = scalars.allSatisfy { $0.properties.generalCategory != .control }
                guard scalars.count <= 200, isShown else { return nil }
                return text.lowercased() == "none" ? "" : text
            }
        ),
        Setting(
            "MAP_IMAGE_HOSTS",
            "The hosts of event images that the map shows, by https only.",
            details: "Browsers that open an event then send its image's host their IP address.",
            allowed: "off, or up to 16 hosts such as images.example.com or *.example.com",
            \.mapImageHosts,
            text: { $0.isEmpty ? "off" : $0.joined(separator: ",") },
            parse: { text in
                let text = text.lowercased()
                if text == "off" { return [] }
                let hosts = list(text)
                return (1...16).contains(hosts.count) && hosts.allSatisfy(isImageHost) ? hosts : nil
            }
        ),
    ]

    /// Returns whether the text is the name of a host, or `*.` and the name of a domain.
    private static func isImageHost(_ text: String) -> Bool {
        guard text.hasPrefix("*.") else { return isHostName(text) }
        let domain = String(text.dropFirst(2))
        return domain.contains(".") && isHostName(domain)
    }

    /// Returns whether the text is the name of a host in lower case.
    static func isHostName(_ name: String) -> Bool {
        let labels = name.split(separator: ".", omittingEmptySubsequences: false)
        return name.utf8.count <= 253
            && labels.allSatisfy { label in
                !label.isEmpty && !label.hasPrefix("-") && !label.hasSuffix("-")
                    && label.utf8.allSatisfy { $0.isUnreserved && !"._~".utf8.contains($0) }
            }
    }

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
        // The characters of paths and queries (RFC 3986, appendix A).
        return path.utf8.allSatisfy { $0.isUnreserved || ":/?@!$&()*+,;=%".utf8.contains($0) }
    }
}
