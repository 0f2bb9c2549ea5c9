package import Rules

/// The columns of the table of events: the one list of what is stored of an event.
package enum EventColumn: Int, TableColumns {
    case id, ownerID, latitude, longitude, name, address, startedAt, endedAt
    case description, url, imageURL, category, tags, status, allDay, seriesID, visibility, data
    case hidden, createdAt, updatedAt

    package var column: Column {
        switch self {
        case .id: Column("id", .integer)
        case .ownerID: Column("owner_id", .integer)
        case .latitude: Column("latitude", .double)
        case .longitude: Column("longitude", .double)
        case .name: Column("name", .text)
        case .address: Column("address", .text, isOptional: true, maximumLength: 1000)
        case .startedAt: Column("started_at", .integer, isTime: true)
        case .endedAt: Column("ended_at", .integer, isOptional: true, isTime: true)
        case .description: Column("description", .text, isOptional: true, maximumLength: 4000)
        case .url: Column("url", .text, isOptional: true, maximumLength: 2000)
        case .imageURL: Column("image_url", .text, isOptional: true, maximumLength: 2000)
        case .category: Column("category", .text, isOptional: true, maximumLength: 40)
        case .tags: Column("tags", .text, isOptional: true, maximumLength: 520)
        case .status: Column("status", .text, isOptional: true, maximumLength: 20)
        case .allDay: Column("all_day", .boolean, isOptional: true)
        case .seriesID: Column("series_id", .text, isOptional: true, maximumLength: 100)
        case .visibility: Column("visibility", .text, isOptional: true, maximumLength: 20)
        case .data: Column("data", .text, isOptional: true, maximumLength: 4096)
        case .hidden: Column("hidden", .integer)
        case .createdAt: Column("created_at", .integer, isTime: true)
        case .updatedAt: Column("updated_at", .integer, isTime: true)
        }
    }

    /// The columns whose values the owner sets.
    package static let attributes = allCases.filter { column in
        ![.id, .ownerID, .hidden, .createdAt, .updatedAt].contains(column)
    }

    /// The attributes that are in no representation of an event without them.
    package static let details: [EventColumn] = [
        .description, .url, .imageURL, .category, .tags, .status, .allDay, .seriesID,
        .visibility, .data,
    ]

    /// The columns that each change of an event writes.
    package static let changed = attributes + [.hidden, .updatedAt]
}

/// The fields of an event in responses and files, in the order of JSON.
package enum EventField: String, CaseIterable, Sendable {
    case address
    case endedAt = "ended_at"
    case id, lat, lon, name
    case startedAt = "started_at"
    case owner
    case description, url
    case imageURL = "image_url"
    case category, tags, status
    case allDay = "all_day"
    case seriesID = "series_id"
    case visibility, data, hidden
    case createdAt = "created_at"
    case updatedAt = "updated_at"
    case distance, bearing

    /// The column of the field; nil for those that are measured from a query's point.
    package var column: EventColumn? {
        switch self {
        case .address: .address
        case .endedAt: .endedAt
        case .id: .id
        case .lat: .latitude
        case .lon: .longitude
        case .name: .name
        case .startedAt: .startedAt
        case .owner: .ownerID
        case .description: .description
        case .url: .url
        case .imageURL: .imageURL
        case .category: .category
        case .tags: .tags
        case .status: .status
        case .allDay: .allDay
        case .seriesID: .seriesID
        case .visibility: .visibility
        case .data: .data
        case .hidden: .hidden
        case .createdAt: .createdAt
        case .updatedAt: .updatedAt
        case .distance, .bearing: nil
        }
    }

    /// The fields of exports, in the order of CSV.
    package static let exported: [EventField] =
        [
            .id, .owner, .name, .address, .lat, .lon, .startedAt, .endedAt,
        ] + details

    /// The fields that are left out where they are null.
    package static let details = allCases.filter { field in
        field.column.map(EventColumn.details.contains) ?? false
    }

    /// The fields that each event in JSON has, and those of a CSV file by default.
    package static let always = exported.filter { !details.contains($0) }

    /// The fields of exports, in the order of JSON.
    package static let members = allCases.filter(exported.contains)

    /// The fields that the owner sets.
    package static let attributes = exported.filter { $0 != .id && $0 != .owner }

    /// The properties of a GeoJSON feature in exports.
    package static let properties =
        attributes.filter { ![.lat, .lon].contains($0) && !details.contains($0) }
        + [.owner] + details
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
        case .id, .ownerID, .hidden, .createdAt, .updatedAt: .null
        case .allDay: isAllDay ? .boolean(true) : .null
        default: .text(orNull: self[column])
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
        for column in EventColumn.details where column != .allDay {
            self[column] = try row.optionalText(column)
        }
        if try row.boolean(EventColumn.allDay) { self[.allDay] = "true" }
    }
}

extension Event: TableRecord {
    package init<Row: TableRow & ~Copyable>(_ row: borrowing Row) throws(Row.Failure) {
        self.init(
            id: try row.integer(EventColumn.id),
            ownerID: try row.integer(EventColumn.ownerID),
            attributes: try EventAttributes(row),
            hidden: HidingCause(rawValue: try row.integer(EventColumn.hidden))
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
