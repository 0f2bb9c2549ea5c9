import HTTP

/// A text with places for the server's address as the client knows it.
struct OriginTemplate: Sendable {
    /// The mark for the address; other text must not contain it.
    static let mark: Unicode.Scalar = "\0"

    private let pieces: [[UInt8]]
    private let length: Int

    /// Splits the text at each `mark`; O(n).
    init(_ text: String) {
        pieces = Array(text.utf8).split(separator: 0, omittingEmptySubsequences: false)
            .map(Array.init)
        length = pieces.reduce(0) { $0 + $1.count }
    }

    /// Returns the text with this address in each place; O(n).
    func bytes(origin: String) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(length + pieces.count * origin.utf8.count)
        for (index, piece) in pieces.enumerated() {
            if index > 0 { bytes += origin.utf8 }
            bytes += piece
        }
        return bytes
    }

    /// Returns the address that a request was sent to, such as `https://events.example.com`.
    ///
    /// It consists of letters, digits and `-._:[]`, which are safe in HTML and shells. Any other
    /// host becomes `localhost`.
    static func origin(of request: Request) -> String {
        let isSecure = request.headers["x-forwarded-proto"]?.lowercased() == "https"
        let host = request.headers["host"] ?? ""
        let isPlain = host.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
                UInt8(ascii: "_"), UInt8(ascii: ":"), UInt8(ascii: "["), UInt8(ascii: "]"):
                true
            default: false
            }
        }
        let name = isPlain && !host.isEmpty && host.utf8.count <= 255 ? host : "localhost"
        return (isSecure ? "https://" : "http://") + name
    }
}
