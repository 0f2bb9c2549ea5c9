import Model

extension EventField {
    /// The columns of CSV in their order: first the columns of exports.
    static let columns = exported + additions

    /// The properties of a GeoJSON feature in their order: first the properties of exports.
    static let featureProperties = properties + additions

    /// Whether the field is the distance or the bearing from the query's point.
    var isDirection: Bool { self == .distance || self == .bearing }

    private static let additions: [EventField] = [.createdAt, .updatedAt, .distance, .bearing]
}
