/// The name of a parameter; the cases are in the order of errors, links and cursors.
package enum EventParameterName: Int, CaseIterable, Sendable {
    case lat, lon, radius, units, bbox, within, from, to, when, tz, ongoing, q, category, tag,
        status,
        series, owner, attendee, hidden, reported, sort
    case fields, limit, cursor, count, title
    case zoom

    /// The names of the parameters of a search.
    package static let ofSearches = allCases.filter { $0 != .zoom && !$0.isForAdmins }

    /// The names of the parameters of an admin's search.
    package static let ofAdmins = allCases.filter {
        ($0.isFilter && $0 != .attendee) || [.limit, .cursor, .count].contains($0)
    }

    /// The names of the parameters of a query for clusters.
    package static let ofClusters = ofSearches.filter { $0.isFilter && $0 != .sort } + [.zoom]

    /// The names of the filters of a region whose changes a client follows: none depends on the
    /// clock or on other users.
    package static let ofChanges: [EventParameterName] = [
        .lat, .lon, .radius, .units, .bbox, .within, .from, .to, .tz, .ongoing, .q, .category, .tag,
        .status,
    ]

    private static let texts = allCases.map { String(describing: $0) }

    /// Creates the name with this spelling, or returns nil if there is no such parameter.
    package init?(_ text: String) {
        guard let index = Self.texts.firstIndex(of: text) else { return nil }
        self.init(rawValue: index)
    }

    /// The spelling in a query.
    package var text: String { Self.texts[rawValue] }

    /// Whether all its values count, and not only the last one.
    package var isRepeatable: Bool { self == .tag }

    /// Whether only admins can use it.
    private var isForAdmins: Bool { self == .hidden || self == .reported }

    /// Whether it selects or orders the events.
    package var isFilter: Bool { rawValue <= Self.sort.rawValue }
}

/// The values of the parameters that a query has, in the order of their names.
///
/// A query has few parameters, so comparing their names is faster than hashing.
package struct EventParameterValues: Equatable, Sendable {
    /// A parameter with its value.
    package struct Pair: Equatable, Sendable {
        package let name: EventParameterName
        package let text: String
    }

    package private(set) var pairs: [Pair] = []

    /// The number of parameters of a typical query.
    private static let usualCount = 8

    package init() {
        pairs.reserveCapacity(Self.usualCount)
    }

    /// The value of a parameter, or nil if the query does not have it; O(n).
    package subscript(name: EventParameterName) -> String? {
        get { pairs.first { $0.name == name }?.text }
        set {
            let index =
                pairs.firstIndex { $0.name.rawValue >= name.rawValue } ?? pairs.endIndex
            if index < pairs.endIndex, pairs[index].name == name { pairs.remove(at: index) }
            if let newValue { pairs.insert(Pair(name: name, text: newValue), at: index) }
        }
    }

    /// Adds another value of a parameter after those that the query has.
    package mutating func append(_ name: EventParameterName, _ text: String) {
        let index = pairs.firstIndex { $0.name.rawValue > name.rawValue } ?? pairs.endIndex
        pairs.insert(Pair(name: name, text: text), at: index)
    }

    /// All values of a parameter, in the order in which they were sent.
    package func all(_ name: EventParameterName) -> [String] {
        pairs.filter { $0.name == name }.map(\.text)
    }
}

extension EventParameterValues: ExpressibleByDictionaryLiteral {
    /// Creates the values of a literal; the last value of a name counts.
    package init(dictionaryLiteral elements: (EventParameterName, String)...) {
        for (name, text) in elements { self[name] = text }
    }
}
