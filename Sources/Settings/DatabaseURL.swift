/// Parses the URL of a database.
enum DatabaseURL {
    /// Returns whether a text is the URL of a PostgreSQL database, whose parts libpq checks later.
    static func isPostgreSQL(_ url: String) -> Bool {
        ["postgres://", "postgresql://"].contains { url.hasPrefix($0) } && !url.utf8.contains(0)
    }

    /// Returns the URL of a PostgreSQL database without its password and its parameters.
    ///
    /// If it is unusual, what may be part of a password is left out as well.
    static func shown(_ url: String) -> String {
        guard let colon = url.firstIndex(of: ":") else { return "" }
        let rest = url[colon...].dropFirst("://".count)
        let hidden = "postgres://…"
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        let parts = authority.split(separator: "@", omittingEmptySubsequences: false)
        // A password with one of these characters, which should be encoded, looks like a host.
        guard parts.count <= 2, parts.count == 2 || !rest.contains("@"), let host = parts.last
        else { return hidden }
        let user = parts.count == 2 ? parts[0].prefix { $0 != ":" } + "@" : ""
        let path = rest.dropFirst(authority.count).prefix { $0 != "?" }
        return "postgres://\(user)\(host)\(path)"
    }

    /// Returns the path in a `sqlite:` URL, or nil for any other text.
    ///
    /// `sqlite:data/humon.sqlite3` and `sqlite://data/humon.sqlite3` are relative to the working
    /// directory, `sqlite:/data/humon.sqlite3` and `sqlite:///data/humon.sqlite3` are absolute. A
    /// database in memory is rejected, because the connections could not share it.
    static func path(of url: String) -> String? {
        guard let colon = url.firstIndex(of: ":"), url[..<colon].lowercased() == "sqlite" else {
            return nil
        }
        var path = url[url.index(after: colon)...]
        if path.hasPrefix("//") { path = path.dropFirst(2) }
        // Otherwise parameters and SQLite's own URLs would become part of the file's name.
        guard !path.isEmpty, !path.hasSuffix("/"), path.first != ":", !path.hasPrefix("file:"),
            !path.utf8.contains(where: { $0 == 0 || $0 == UInt8(ascii: "?") })
        else { return nil }
        return String(path)
    }
}
