/// The columns of the table of events.
package enum EventColumn: Int, TableColumns {
    case id, ownerID, name, address, latitude, longitude, startedAt, endedAt, createdAt, updatedAt
    /// The key of the place, which the storages compute.
    case cell

    package var column: Column {
        switch self {
        case .id: Column("id", .integer)
        case .ownerID: Column("owner_id", .integer)
        case .name: Column("name", .text)
        case .address: Column("address", .text, isOptional: true)
        case .latitude: Column("latitude", .double)
        case .longitude: Column("longitude", .double)
        case .startedAt: Column("started_at", .integer)
        case .endedAt: Column("ended_at", .integer, isOptional: true)
        case .createdAt: Column("created_at", .integer)
        case .updatedAt: Column("updated_at", .integer)
        case .cell: Column("cell", .integer)
        }
    }
}
