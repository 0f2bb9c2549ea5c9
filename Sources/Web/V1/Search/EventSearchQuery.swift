import HTTP
import Model

/// The query of a request for events: the values of known names, and the unknown names.
struct EventSearchQuery {
    /// The last value of each known name, decoded; blank ones count as absent.
    private(set) var values: [String: String] = [:]
    /// The first names that are no parameters, as many as a response can have errors.
    private(set) var unknown: [String] = []

    /// Reads a query; names that begin with `_` are ignored.
    ///
    /// Throws `RequestError.malformed` if it has too many pairs.
    init(_ request: Request, names: [String]) throws(RequestError) {
        let pairs: [FormPair]
        do throws(ParseError) {
            pairs =
                try request.query.map { query throws(ParseError) in
                    try FormDecoder.pairs(query)
                } ?? []
        } catch {
            throw .malformed(error.message)
        }
        for pair in pairs {
            if names.contains(pair.key) {
                values[pair.key] = pair.value ?? ""
            } else if unknown.count < EventParameters.maximumErrors, !pair.key.hasPrefix("_"),
                !unknown.contains(pair.key)
            {
                unknown.append(pair.key)
            }
        }
        values = values.filter { !Input.text($0.value).isBlank }
    }

    /// The filters and the order, in the canonical form that identifies the query.
    var filterText: String { text(of: EventParameters.filterNames) }

    /// Returns the path and query of the page.
    func link(from request: Request) -> String {
        let text = text(of: EventParameters.names)
        return text.isEmpty ? request.path : "\(request.path)?\(text)"
    }

    /// Returns the path and query of the page at a cursor.
    func link(from request: Request, cursor: String) -> String {
        var query = self
        query.values["cursor"] = cursor
        return query.link(from: request)
    }

    /// Returns the parameters with these names, in this order, percent-encoded.
    private func text(of names: [String]) -> String {
        names.compactMap { name in
            values[name].map { "\(name)=\(Self.encoded($0))" }
        }.joined(separator: "&")
    }

    private static func encoded(_ text: String) -> String {
        var bytes: [UInt8] = []
        let digits = Array("0123456789ABCDEF".utf8)
        for byte in text.utf8 {
            if isPlain(byte) {
                bytes.append(byte)
            } else {
                bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "-._~,:/".utf8.contains(byte)
        }
    }
}
