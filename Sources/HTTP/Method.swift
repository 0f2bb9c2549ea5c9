/// A request method: a case-sensitive token (RFC 9110 section 9.1).
package struct Method: Hashable, Sendable {
    package let rawValue: String

    package init(_ rawValue: String) {
        self.rawValue = rawValue
    }

    /// Creates the method of a request line; the most frequent one needs no new string.
    init(_ bytes: Span<UInt8>) {
        self = bytes.equals("GET".utf8.span) ? .get : Method(String(repairing: bytes))
    }

    package static let get = Method("GET")
    package static let head = Method("HEAD")
    package static let post = Method("POST")
    package static let put = Method("PUT")
    package static let patch = Method("PATCH")
    package static let delete = Method("DELETE")
    package static let options = Method("OPTIONS")
}
