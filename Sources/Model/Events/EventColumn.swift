/// The columns of the table of events: the one list of what is stored of an event.
package enum EventColumn: Int, TableColumns {
    case id, ownerID, latitude, longitude, name, address, startedAt, endedAt, createdAt, updatedAt
    /// The key of the place, which the storages compute.
    case cell

    package var column: Column {
        switch self {
        case .id: Column("id", .integer)
        case .ownerID: Column("owner_id", .integer)
        case .latitude: Column("latitude", .double)
        case .longitude: Column("longitude", .double)
        case .name: Column("name", .text)
        case .address: Column("address", .text, isOptional: true)
        case .startedAt: Column("started_at", .integer)
        case .endedAt: Column("ended_at", .integer, isOptional: true)
        case .createdAt: Column("created_at", .integer)
        case .updatedAt: Column("updated_at", .integer)
        case .cell: Column("cell", .integer)
        }
    }

    /// The columns whose values the owner sets.
    package static let attributes = allCases.filter { column in
        ![.id, .ownerID, .createdAt, .updatedAt, .cell].contains(column)
    }

    /// The columns that each change of an event writes.
    package static let changed = attributes + [.cell, .updatedAt]
}

extension EventAttributes {
    /// Returns the value of one of `EventColumn.attributes`; null for other columns.
    package func value(of column: EventColumn) -> ColumnValue {
        switch column {
        case .latitude: .double(orNull: coordinate.latitude)
        case .longitude: .double(orNull: coordinate.longitude)
        case .name: .text(name)
        case .address: .text(orNull: address)
        case .startedAt: .time(startedAt)
        case .endedAt: .time(orNull: endedAt)
        case .id, .ownerID, .createdAt, .updatedAt, .cell: .null
        }
    }

    fileprivate init<Row: TableRow & ~Copyable>(_ row: borrowing Row) throws(Row.Failure) {
        self.init(
            name: try row.text(EventColumn.name),
            address: try row.optionalText(EventColumn.address),
            coordinate: Coordinate(
                latitude: try row.double(EventColumn.latitude),
                longitude: try row.double(EventColumn.longitude)
            ),
            startedAt: try row.time(EventColumn.startedAt),
            endedAt: try row.optionalTime(EventColumn.endedAt)
        )
    }
}

extension Event: TableRecord {
    package init<Row: TableRow & ~Copyable>(_ row: borrowing Row) throws(Row.Failure) {
        self.init(
            id: try row.integer(EventColumn.id),
            ownerID: try row.integer(EventColumn.ownerID),
            attributes: try EventAttributes(row)
        )
    }
}

extension DatedEvent: TableRecord {
    package init<Row: TableRow & ~Copyable>(_ row: borrowing Row) throws(Row.Failure) {
        self.init(
            try Event(row),
            createdAt: try row.time(EventColumn.createdAt),
            updatedAt: try row.time(EventColumn.updatedAt)
        )
    }
}

extension EventRecord: TableRecord {
    package init<Row: TableRow & ~Copyable>(_ row: borrowing Row) throws(Row.Failure) {
        let event = try Event(row)
        self.init(id: event.id, ownerID: event.ownerID, attributes: event.attributes)
    }
}
