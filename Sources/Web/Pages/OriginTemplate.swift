import HTTP

/// A text with places for the server's address, as the one who asks knows it.
struct OriginTemplate: Sendable {
    /// Stands for the address; no text may hold it otherwise.
    static let mark: Unicode.Scalar = "\0"

    private let pieces: [[UInt8]]
    private let length: Int

    /// Takes the text apart at each `mark`; O(n).
    init(_ text: String) {
        pieces = Array(text.utf8).split(separator: 0, omittingEmptySubsequences: false)
            .map(Array.init)
        length = pieces.reduce(0) { $0 + $1.count }
    }

    /// The text with this address in each place; O(n).
    func bytes(origin: String) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(length + pieces.count * origin.utf8.count)
        for (index, piece) in pieces.enumerated() {
            if index > 0 { bytes += origin.utf8 }
            bytes += piece
        }
        return bytes
    }

    /// The address that a request was sent to, such as `https://events.example.com`.
    ///
    /// It is made of nothing but letters, digits and `-._:[]`, so that it means nothing to HTML or
    /// to a shell; a host of anything else is answered as `localhost`.
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
