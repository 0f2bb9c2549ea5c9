package import Events

/// A representation of events that clients can request.
package enum EventFormat: String, CaseIterable, Sendable {
    case json, geojson, ics, atom, csv, txt

    /// The value of `Content-Type`.
    package var mediaType: String {
        switch self {
        case .json: "application/json; charset=utf-8"
        case .geojson: "application/geo+json"
        case .ics: "text/calendar; charset=utf-8"
        case .atom: "application/atom+xml; charset=utf-8"
        case .csv: "text/csv; charset=utf-8; header=present"
        case .txt: "text/plain; charset=utf-8"
        }
    }

    /// The path suffix that selects this format, without a dot.
    package var suffix: String { rawValue }

    /// Whether the parameter `fields` applies.
    package var hasFields: Bool { [.json, .geojson, .csv].contains(self) }

    /// Whether the representation shows a title.
    var hasTitle: Bool { self == .ics || self == .atom }

    /// Whether the representation shows the URLs of its own page and of events.
    var hasURLs: Bool { self == .atom }

    /// Whether the representation shows UUIDs, which are computed from the installation's.
    var hasUUIDs: Bool { hasTitle }

    /// Whether events are sorted by start if the query doesn't say otherwise, also around a point.
    ///
    /// Calendar apps don't follow links to more pages, so a calendar that is cut at its limit must
    /// have the next events.
    package var sortsByStart: Bool { self == .ics }

    /// Whether the search may end a page early when it reaches its limits.
    ///
    /// People and apps continue such pages. Calendar apps, feed readers and spreadsheets would show
    /// them as if they were complete.
    package var canBeShort: Bool { self == .json || self == .txt }

    /// Returns the page size if the client requests no limit; at most `maximum`.
    package func defaultLimit(maximum: Int) -> Int {
        canBeShort ? min(20, maximum) : maximum
    }

    /// Returns whether `body(of:as:)` needs events with their times for these fields.
    package func needsEvents(for fields: [EventField]?) -> Bool {
        self != .json || fields != nil
    }

    /// The media type without parameters, for comparison with `Accept`.
    var bareType: String { String(mediaType.prefix { $0 != ";" }) }

    /// Returns the format with the highest weight in an `Accept` header (RFC 9110, section 12.5.1).
    ///
    /// The first of several equal weights wins. `*/*` selects JSON. Unknown types and malformed
    /// weights are ignored. The default is JSON. O(n).
    package static func preferred(accept: String?) -> EventFormat {
        guard let accept else { return .json }
        var preferred = EventFormat.json
        var greatest = 0
        for range in accept[...].parts(separatedBy: UInt8(ascii: ",")) {
            let parts = range.parts(separatedBy: UInt8(ascii: ";"))
            guard let type = parts.first,
                let format = format(of: type),
                let weight = weight(in: parts.dropFirst()), weight > greatest
            else { continue }
            preferred = format
            greatest = weight
        }
        return preferred
    }

    private static func format(of type: Substring) -> EventFormat? {
        type == "*/*" ? .json : allCases.first { isEqual(type, $0.bareType) }
    }

    private static func isEqual(_ text: Substring, _ lowercase: String) -> Bool {
        text.utf8.count == lowercase.utf8.count && text.lowercased() == lowercase
    }

    /// Returns the weight in thousandths: 1000 by default, or nil if it is malformed.
    private static func weight(in parameters: ArraySlice<Substring>) -> Int? {
        for parameter in parameters {
            let pair = parameter.utf8.split(
                separator: UInt8(ascii: "="),
                maxSplits: 1,
                omittingEmptySubsequences: false
            )
            guard pair.count == 2, isEqual(Substring(pair[0]), "q") else { continue }
            return thousandths(pair[1])
        }
        return 1000
    }

    /// Parses a weight such as `1`, `0.5` or `0.333` as thousandths, at most 1000.
    ///
    /// Decimals after the third are ignored.
    private static func thousandths(_ text: Substring.UTF8View) -> Int? {
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        guard let first = text.first, first == digits.lowerBound || first == digits.lowerBound + 1
        else { return nil }
        var weight = first == digits.lowerBound ? 0 : 1000
        let fraction = text.dropFirst()
        guard fraction.first.map({ $0 == UInt8(ascii: ".") }) ?? true,
            fraction.dropFirst().allSatisfy(digits.contains)
        else { return nil }
        for (digit, unit) in zip(fraction.dropFirst(), [100, 10, 1]) {
            weight += Int(digit - digits.lowerBound) * unit
        }
        return min(weight, 1000)
    }
}

extension EventFormat {
    /// Returns the body of a response with a page of events.
    ///
    /// If `needsEvents(for:)` is true, the rows must contain events with their times.
    func body(of page: EventPage, as presentation: EventPresentation) -> ListBody {
        switch self {
        case .json: EventView.json(page, presentation)
        case .geojson: EventView.geoJSON(page, presentation)
        case .ics: EventCalendar.body(of: page.eventRows, presentation)
        case .atom: EventFeed.body(of: page.eventRows, presentation)
        case .csv: EventTable.body(of: page.eventRows, presentation)
        case .txt: EventLines.body(of: page.eventRows, presentation)
        }
    }

    /// Returns the body of a response with one event, or nil if the format has no such response.
    ///
    /// `installation` is the installation's UUID, from which the event's UUID is computed.
    package func body(of event: DatedEvent, installation: String) -> [UInt8]? {
        switch self {
        case .geojson: EventView.feature(EventRow(event))
        case .ics: EventCalendar.body(of: EventRow(event), installation: installation).bytes
        case .json, .atom, .csv, .txt: nil
        }
    }
}
