/// Parses the URL of a database.
enum DatabaseURL {
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
