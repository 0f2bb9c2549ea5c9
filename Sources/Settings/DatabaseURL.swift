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
        guard parts.count <= 2, parts.count == 2 || !rest.contains("@"), let hosts = parts.last,
            hosts.split(separator: ",").allSatisfy(hasPort)
        else { return hidden }
        let user = parts.count == 2 ? parts[0].prefix { $0 != ":" } + "@" : ""
        let path = rest.dropFirst(authority.count).prefix { $0 != "?" }
        let shown = "\(user)\(hosts)\(path)"
        // Parameters without a question mark before them would look like a part of the name.
        return shown.contains { "=; ".contains($0) } ? hidden : "postgres://\(shown)"
    }

    /// Returns whether what follows the name of a host is a port or nothing, and no password.
    private static func hasPort(_ host: Substring) -> Bool {
        let name = host.hasPrefix("[") ? host.prefix { $0 != "]" } : host.prefix { $0 != ":" }
        return host.dropFirst(name.count).allSatisfy { "]:0123456789".contains($0) }
    }

    /// Returns whether a text that is not a valid URL certainly contains no password.
    ///
    /// It can be the path of a file, with or without `sqlite:`.
    static func isPlain(_ text: String) -> Bool {
        let scheme = "sqlite:"
        let isSQLite = text.lowercased().hasPrefix(scheme)
        let path = isSQLite ? text.dropFirst(scheme.count) : text[...]
        let excluded = isSQLite ? "@=;\"'" : "@=;\"':"
        return !path.contains { excluded.contains($0) || $0.isWhitespace }
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
            !path.contains("://"),
            !path.utf8.contains(where: { $0 == 0 || $0 == UInt8(ascii: "?") })
        else { return nil }
        return String(path)
    }
}
