/// Reads the URL of a database.
enum DatabaseURL {
    /// The path that a `sqlite:` URL names; nil for anything else.
    ///
    /// `sqlite:data/humon.sqlite3` and `sqlite://data/humon.sqlite3` are relative to the working
    /// directory, `sqlite:/data/humon.sqlite3` and `sqlite:///data/humon.sqlite3` absolute.
    /// A database in memory is refused, because its loops could not share it.
    static func path(of url: String) -> String? {
        guard let colon = url.firstIndex(of: ":"), url[..<colon].lowercased() == "sqlite" else {
            return nil
        }
        var path = url[url.index(after: colon)...]
        if path.hasPrefix("//") { path = path.dropFirst(2) }
        // Parameters and SQLite's own URLs would become parts of a file's name.
        guard !path.isEmpty, !path.hasSuffix("/"), path.first != ":", !path.hasPrefix("file:"),
            !path.utf8.contains(where: { $0 == 0 || $0 == UInt8(ascii: "?") })
        else { return nil }
        return String(path)
    }
}
