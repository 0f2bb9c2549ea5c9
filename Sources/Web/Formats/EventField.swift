import Events

extension EventField {
    /// The columns of CSV in their order: first the columns of exports.
    static let columns = exported + additions

    /// The properties of a GeoJSON feature in their order: first the properties of exports.
    static let featureProperties = properties + [.hidden] + additions

    private static let additions: [EventField] = [.createdAt, .updatedAt, .distance, .bearing]
}
