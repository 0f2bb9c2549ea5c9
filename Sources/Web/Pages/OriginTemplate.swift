import HTTP
import System

/// A text with places for the server's address and path as the client knows them.
struct OriginTemplate: Sendable {
    /// The mark for the address; other text must not contain it.
    static let mark: Unicode.Scalar = "\0"
    /// The mark for the path of the address, before the path of a page; other text must not contain
    /// it.
    static let prefixMark: Unicode.Scalar = "\u{1}"

    /// The pieces of the text, each with the mark before it.
    private let pieces: [(mark: UInt8?, text: [UInt8])]
    private let length: Int
    /// The text for the latest address; almost all requests have the same one.
    private let latest = Remembered<Text>()

    /// The text for an address.
    struct Text: Sendable {
        fileprivate let address: String
        let bytes: [UInt8]
        let etag: String
    }

    /// Splits the text at each mark; O(n).
    init(_ text: String) {
        var pieces: [(mark: UInt8?, text: [UInt8])] = []
        var rest = Array(text.utf8)[...]
        let marks = [UInt8(ascii: Self.mark), UInt8(ascii: Self.prefixMark)]
        var mark: UInt8?
        while true {
            let end = rest.firstIndex { marks.contains($0) }
            pieces.append((mark, Array(rest[..<(end ?? rest.endIndex)])))
            guard let end else { break }
            mark = rest[end]
            rest = rest[(end + 1)...]
        }
        self.pieces = pieces
        length = pieces.reduce(0) { $0 + $1.text.count }
    }

    /// Returns the response with the text for the client of a call, and with its entity tag; O(n)
    /// if the address is another one than before.
    ///
    /// `fields` are the headers of requests that the text depends on.
    func response(
        to call: Call,
        _ headers: Headers,
        varyingOn fields: String = Call.addressFields
    ) -> Response {
        let text = text(for: call)
        var response = Response(.ok, headers: headers, body: text.bytes)
        response.headers.vary(on: fields)
        response.headers.append("etag", text.etag)
        return response
    }

    /// Returns the text for the client of a call.
    func text(for call: Call) -> Text {
        let address = call.address
        if let latest = latest.value, latest.address == address { return latest }
        let bytes = bytes(address, call.prefix)
        let text = Text(address: address, bytes: bytes, etag: ETag.make(for: bytes.span))
        latest.remember(text)
        return text
    }

    private func bytes(_ address: String, _ prefix: String) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(length + pieces.count * address.utf8.count)
        for piece in pieces {
            if let mark = piece.mark { bytes += (mark == 0 ? address : prefix).utf8 }
            bytes += piece.text
        }
        return bytes
    }
}

extension Call {
    /// The headers that `prefix` depends on, for `Vary`.
    static let prefixFields = "X-Forwarded-Prefix"
    /// The headers that `address` depends on, for `Vary`.
    static let addressFields = "X-Forwarded-Proto, X-Forwarded-Prefix"
    private static let maximumPrefixBytes = 255

    /// The path below which a trusted proxy serves this server, such as `/humon`; usually empty.
    ///
    /// It consists of letters, digits and `-._~/`, which are safe in HTML, headers and shells. A
    /// header with anything else is ignored, and so are several headers.
    var prefix: String {
        guard let field = request.headers.list("x-forwarded-prefix"),
            request.isForwarded(by: proxies),
            field.utf8.count <= Self.maximumPrefixBytes, field != "/"
        else { return "" }
        let path = field.hasSuffix("/") ? field.dropLast() : field[...]
        let segments = path.split(separator: "/", omittingEmptySubsequences: false)
        let isPath =
            segments.count > 1 && segments.first == ""
            && segments.dropFirst().allSatisfy { segment in
                !["", ".", ".."].contains(segment)
                    && segment.utf8.allSatisfy(\.isUnreserved)
            }
        return isPath ? String(path) : ""
    }

    /// The address of the server as the client knows it, such as `https://events.example.com`.
    ///
    /// It consists of letters, digits and `-._~:[]/`, which are safe in HTML and shells. Any other
    /// host becomes `localhost`.
    var address: String {
        let host = request.headers["host"] ?? ""
        let isPlain = host.utf8.allSatisfy { byte in
            byte != UInt8(ascii: "~") && (byte.isUnreserved || ":[]".utf8.contains(byte))
        }
        let name = isPlain && !host.isEmpty && host.utf8.count <= 255 ? host : "localhost"
        return (request.isSecure(behind: proxies) ? "https://" : "http://") + name + prefix
    }
}

extension Headers {
    /// Adds names to the request headers that the response depends on.
    mutating func vary(on names: String) {
        if self["vary"]?.hasPrefix(names + ", ") == true { return }
        replace("vary", with: self["vary"].map { $0 + ", " + names } ?? names)
    }
}
