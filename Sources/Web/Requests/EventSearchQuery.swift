import Events
import HTTP
import Rules

/// The query of a request for events: the values of known names, and the unknown names.
struct EventSearchQuery {
    /// The last value of each known name, or all of a repeatable one, decoded and not blank.
    private(set) var values = EventParameterValues()
    /// The first unknown names, as many as a response can list.
    private(set) var unknown: [String] = []

    /// Reads a query, without the parameters that other programs append to links.
    ///
    /// Throws `RequestError.malformed` if it has too many pairs.
    init(_ request: Request, names: [EventParameterName]) throws(RequestError) {
        self.init(try Self.pairs(of: request.query), names: names)
    }

    /// Returns the pairs of a query; throws `RequestError.malformed` if there are too many.
    static func pairs(of query: String?) throws(RequestError) -> [FormPair] {
        do throws(ParseError) {
            return try FormDecoder.pairs(query)
        } catch {
            throw .malformed(error.message)
        }
    }

    /// Reads the pairs of a query; `others` are names that something else reads.
    init(_ pairs: [FormPair], names: [EventParameterName], others: [String] = []) {
        for pair in pairs {
            if let name = EventParameterName(pair.key), names.contains(name) {
                let value = pair.value.flatMap { Input.text($0).isBlank ? nil : $0 }
                if !name.isRepeatable {
                    values[name] = value
                } else if let value {
                    values.append(name, value)
                }
            } else if !others.contains(pair.key), unknown.count < EventParameters.maximumErrors,
                !Self.isForeign(pair.key), !unknown.contains(pair.key)
            {
                unknown.append(pair.key)
            }
        }
    }

    /// Returns whether a parameter of this name is not meant for the search.
    ///
    /// Social networks, newsletters and advertisers append such parameters to the links that people
    /// share. Pages append some with `_` to avoid caches.
    private static func isForeign(_ name: String) -> Bool {
        name.hasPrefix("_") || name.hasPrefix("utm_") || trackers.contains(name)
    }

    private static let trackers: Set<String> = [
        "dclid", "fbclid", "gbraid", "gclid", "igshid", "mc_cid", "mc_eid", "msclkid", "ref",
        "ref_src", "twclid", "wbraid", "yclid",
    ]

    /// The filters and the order, in the canonical form that identifies the query.
    var filterText: String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Self.usualBytes)
        for pair in values.pairs where pair.name.isFilter { Self.append(pair, to: &bytes) }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Sets a parameter that the query lacks.
    mutating func setDefault(_ name: EventParameterName, _ value: String) {
        if values[name] == nil { values[name] = value }
    }

    /// Adds the order of a format if the query has a point and no order.
    ///
    /// The next page has the order of the first one, also in another format. The order is therefore
    /// part of the cursor and of the link to the next page.
    mutating func addOrder(of format: EventFormat) {
        guard values[.sort] == nil, values[.lat] != nil else { return }
        var ordered = self
        ordered.values[.sort] = "started_at"
        let isOrdered =
            values[.cursor].map { EventCursor.belongs($0, to: ordered.filterText) }
            ?? format.sortsByStart
        if isOrdered { self = ordered }
    }

    /// Returns the path and query of a page of a request, without a proxy's prefix.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - filters: The query's `filterText`, with which each link begins.
    ///   - cursor: The cursor of another page, or nil for the requested page.
    /// - Returns: The link, percent-encoded.
    func link(from request: Request, filters: String, cursor: String? = nil) -> String {
        var others = values
        if let cursor { others[.cursor] = cursor }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Self.usualBytes)
        bytes += filters.utf8
        for pair in others.pairs where !pair.name.isFilter { Self.append(pair, to: &bytes) }
        guard !bytes.isEmpty else { return request.path }
        return request.path + "?" + String(decoding: bytes, as: UTF8.self)
    }

    /// The size of a typical query, in bytes.
    private static let usualBytes = 128

    /// Appends a parameter to a query, percent-encoded.
    private static func append(_ pair: EventParameterValues.Pair, to bytes: inout [UInt8]) {
        append(pair.name, pair.text, to: &bytes)
    }

    /// Appends the value of a parameter to a query, percent-encoded.
    static func append(_ name: EventParameterName, _ value: String, to bytes: inout [UInt8]) {
        if !bytes.isEmpty { bytes.append(UInt8(ascii: "&")) }
        bytes += name.text.utf8
        bytes.append(UInt8(ascii: "="))
        PercentEncoding.append(value, to: &bytes, keeping: ",:/")
    }
}
