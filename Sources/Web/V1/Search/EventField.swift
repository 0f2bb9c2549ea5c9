import Formats
import Model

extension EventField {
    /// The columns of CSV in their order: first the columns of exports.
    static let columns: [EventField] =
        EventFileColumn.allCases.compactMap(EventField.init) + additions

    /// The properties of a GeoJSON feature in their order: first the properties of exports.
    static let properties: [EventField] =
        EventFileColumn.properties.compactMap(EventField.init) + additions

    /// Whether the field is the distance or the bearing from the query's point.
    var isDirection: Bool { self == .distance || self == .bearing }

    /// The same column of exports, or nil if exports don't have it.
    var column: EventFileColumn? {
        switch self {
        case .address: .address
        case .endedAt: .endedAt
        case .id: .id
        case .lat: .lat
        case .lon: .lon
        case .name: .name
        case .startedAt: .startedAt
        case .owner: .owner
        case .createdAt, .updatedAt, .distance, .bearing: nil
        }
    }

    private static let additions: [EventField] = [.createdAt, .updatedAt, .distance, .bearing]

    private init?(_ column: EventFileColumn) {
        self.init(rawValue: column.rawValue)
    }
}
