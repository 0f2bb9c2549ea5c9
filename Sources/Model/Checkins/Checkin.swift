package import Rules
package import Time

/// A report of a visit to a place; every field can be missing.
package struct Checkin: Equatable, Sendable {
    package var name: String?
    package var category: String?
    package var rating: Double?
    /// In degrees.
    package var latitude: Double?
    package var longitude: Double?
    package var userName: String?
    /// The user's local time.
    package var localTime: Timestamp

    package init(
        name: String? = nil,
        category: String? = nil,
        rating: Double? = nil,
        latitude: Double? = nil,
        longitude: Double? = nil,
        userName: String? = nil,
        localTime: Timestamp
    ) {
        self.name = name
        self.category = category
        self.rating = rating
        self.latitude = latitude
        self.longitude = longitude
        self.userName = userName
        self.localTime = localTime
    }

    /// The maximum length of a text, in characters.
    ///
    /// Longer texts are cut, because rejecting a check-in would lose it.
    private static let maximumText = 255

    /// Returns the text of an input, or nil if it has no valid text.
    package static func text(_ input: Input) -> String? {
        guard let text = input.spelling, !text.utf8.contains(0) else { return nil }
        guard text.unicodeScalars.count > maximumText else { return text }
        var cut = String.UnicodeScalarView()
        cut.append(contentsOf: text.unicodeScalars.prefix(maximumText))
        return String(cut)
    }

    /// Returns the number of an input, or nil if it is not a number or not in `range`.
    package static func number(_ input: Input, in range: ClosedRange<Double>? = nil) -> Double? {
        guard let text = input.spelling, let number = Double(decimal: text) else { return nil }
        return range?.contains(number) == false ? nil : number
    }
}

/// The columns of the table of check-ins.
package enum CheckinColumn: Int, TableColumns {
    case id, name, category, rating, latitude, longitude, userName, localTime, createdAt

    package var column: Column {
        switch self {
        case .id: Column("id", .integer)
        case .name: Column("name", .text, isOptional: true)
        case .category: Column("category", .text, isOptional: true)
        case .rating: Column("rating", .double, isOptional: true)
        case .latitude: Column("latitude", .double, isOptional: true)
        case .longitude: Column("longitude", .double, isOptional: true)
        case .userName: Column("user_name", .text, isOptional: true)
        case .localTime: Column("local_time", .integer)
        case .createdAt: Column("created_at", .integer)
        }
    }
}

extension CheckinRecord: TableRecord {
    package init<Row: TableRow & ~Copyable>(_ row: borrowing Row) throws(Row.Failure) {
        self.init(
            id: try row.integer(CheckinColumn.id),
            checkin: Checkin(
                name: try row.optionalText(CheckinColumn.name),
                category: try row.optionalText(CheckinColumn.category),
                rating: try row.optionalDouble(CheckinColumn.rating),
                latitude: try row.optionalDouble(CheckinColumn.latitude),
                longitude: try row.optionalDouble(CheckinColumn.longitude),
                userName: try row.optionalText(CheckinColumn.userName),
                localTime: try row.time(CheckinColumn.localTime)
            )
        )
    }

    /// Returns the values of the columns for a check-in that is added now.
    package func values() -> [ColumnValue] {
        CheckinColumn.allCases.map { column in
            switch column {
            case .id: .integer(orNull: id)
            case .name: .text(orNull: checkin.name)
            case .category: .text(orNull: checkin.category)
            case .rating: .double(orNull: checkin.rating)
            case .latitude: .double(orNull: checkin.latitude)
            case .longitude: .double(orNull: checkin.longitude)
            case .userName: .text(orNull: checkin.userName)
            case .localTime: .time(checkin.localTime)
            case .createdAt: .time(.now())
            }
        }
    }
}
