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
        guard !path.isEmpty, !path.hasSuffix("/"), path.first != ":", !path.utf8.contains(0) else {
            return nil
        }
        return String(path)
    }
}
