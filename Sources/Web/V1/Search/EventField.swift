import Formats
import Model

extension EventField {
    /// The fields that are columns of a table, in their order: first those of exports.
    static let columns: [EventField] =
        EventColumn.allCases.compactMap(EventField.init) + additions

    /// The fields that are properties of a feature, in their order: first those of exports.
    static let properties: [EventField] =
        EventColumn.properties.compactMap(EventField.init) + additions

    /// Whether it says where the event is from the point of the query.
    var isDirection: Bool { self == .distance || self == .bearing }

    /// The column of exports with the same values; nil if exports have none.
    var column: EventColumn? {
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

    private init?(_ column: EventColumn) {
        self.init(rawValue: column.rawValue)
    }
}
