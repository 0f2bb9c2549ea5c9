import HTTP
import Model

/// The query of a request for events: the values of known names, and the unknown names.
struct EventSearchQuery {
    /// The last value of each known name, decoded, without blank values.
    private(set) var values: [String: String] = [:]
    /// The first unknown names, as many as a response can list.
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
        // A query has few of the names, so looking up each name would take longer.
        let pairs = values.compactMap { name, value in
            names.firstIndex(of: name).map { (index: $0, name: name, value: value) }
        }
        var bytes: [UInt8] = []
        for pair in pairs.sorted(by: { $0.index < $1.index }) {
            if !bytes.isEmpty { bytes.append(UInt8(ascii: "&")) }
            bytes += pair.name.utf8
            bytes.append(UInt8(ascii: "="))
            Self.encode(pair.value, into: &bytes)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func encode(_ text: String, into bytes: inout [UInt8]) {
        for byte in text.utf8 {
            if isPlain(byte) {
                bytes.append(byte)
            } else {
                bytes.append(UInt8(ascii: "%"))
                bytes.append(digit(byte >> 4))
                bytes.append(digit(byte & 15))
            }
        }
    }

    private static func digit(_ number: UInt8) -> UInt8 {
        number < 10 ? UInt8(ascii: "0") + number : UInt8(ascii: "A") + number - 10
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: "_"), UInt8(ascii: "~"), UInt8(ascii: ","), UInt8(ascii: ":"),
            UInt8(ascii: "/"):
            true
        default: false
        }
    }
}
