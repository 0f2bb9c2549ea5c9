/// The parts of a request target (RFC 9112 section 3.2).
struct RequestTarget {
    /// The path, with one slash for several in a row; starts with `/`, or is `*`.
    let path: String
    /// The text after the `?`; nil for a target without `?`.
    let query: String?
    /// The authority of an absolute URL; nil for a path.
    let authority: String?

    /// Parses visible ASCII.
    ///
    /// Throws `ParseError.invalidTarget` if the form is invalid for this method, and
    /// `.targetNeedsTLS` for an https URL.
    init(_ bytes: Span<UInt8>, method: Method) throws(ParseError) {
        guard bytes.count > 0 else { throw .invalidTarget }
        let isAsterisk = bytes.count == 1 && bytes[0] == UInt8(ascii: "*")
        if bytes[0] == UInt8(ascii: "/") || isAsterisk && method == .options {
            self.init(pathAndQuery: bytes, authority: nil)
        } else {
            try self.init(url: bytes)
        }
    }

    private init(url bytes: Span<UInt8>) throws(ParseError) {
        let schemeEnd = bytes.offset(of: UInt8(ascii: ":"))
        let scheme = bytes.extracting(first: schemeEnd)
        guard scheme.equalsIgnoringCase("http") || scheme.equalsIgnoringCase("https"),
            bytes.extracting(schemeEnd..<min(schemeEnd + 3, bytes.count)).equalsIgnoringCase("://")
        else { throw .invalidTarget }

        let start = schemeEnd + 3
        var end = start
        while end < bytes.count, bytes[end] != UInt8(ascii: "/"), bytes[end] != UInt8(ascii: "?") {
            end += 1
        }
        let authority = bytes.extracting(start..<end)
        guard HostField.isValid(authority) else { throw .invalidTarget }
        // Connections are plain TCP, where an https URL has no authority: RFC 9110 section 7.4.
        guard scheme.equalsIgnoringCase("http") else { throw .targetNeedsTLS }
        self.init(
            pathAndQuery: bytes.extracting(droppingFirst: end),
            authority: String(repairing: authority)
        )
    }

    private init(pathAndQuery bytes: Span<UInt8>, authority: String?) {
        let end = bytes.offset(of: UInt8(ascii: "?"))
        path = end > 0 ? Self.path(bytes.extracting(first: end)) : "/"
        query =
            end < bytes.count
            ? String(repairing: bytes.extracting(droppingFirst: end + 1)) : nil
        self.authority = authority
    }

    /// Returns a path with one slash in place of several in a row.
    ///
    /// No later code sees several, so none can take `//host/path` for another host.
    private static func path(_ bytes: Span<UInt8>) -> String {
        let slash = UInt8(ascii: "/")
        var isPlain = true
        for index in bytes.indices.dropFirst() where bytes[index] == slash {
            if bytes[index - 1] == slash { isPlain = false }
        }
        if isPlain { return String(repairing: bytes) }
        var path: [UInt8] = []
        path.reserveCapacity(bytes.count)
        for index in bytes.indices where bytes[index] != slash || path.last != slash {
            path.append(bytes[index])
        }
        return String(repairing: path.span)
    }
}
