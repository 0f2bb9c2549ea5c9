package import Rules
import Time

/// The values that a client sent for an event, before validation.
package struct EventDraft: Equatable, Sendable {
    /// The input for each column.
    private var inputs = [Input](repeating: .absent, count: EventColumn.allCases.count)

    package init() {}

    /// The value for one of `EventColumn.attributes`.
    package subscript(column: EventColumn) -> Input {
        get { inputs[column.rawValue] }
        set { inputs[column.rawValue] = newValue }
    }

    /// Returns the attributes of a new event with these values.
    ///
    /// Throws `ModelError.invalid` with the attributes that break a rule, in the order Lat, Lon,
    /// Name, Started at, Address, Ended at, and then that of `EventColumn.details`.
    package func attributes() throws(ModelError) -> EventAttributes {
        try attributes(keeping: nil)
    }

    /// Returns the attributes that replace those of an event.
    ///
    /// Absent values are cleared. Only the visibility is kept: a client that doesn't know it must
    /// not publish a private event. Throws as `attributes()` does.
    package func replacing(_ current: EventAttributes) throws(ModelError) -> EventAttributes {
        var new = try attributes()
        if self[.visibility] == .absent { new[.visibility] = current[.visibility] }
        return new
    }

    /// Returns `current` with these changes; absent values are kept, and null clears.
    ///
    /// Throws as `attributes()` does, for the values that were sent.
    package func merged(onto current: EventAttributes) throws(ModelError) -> EventAttributes {
        try attributes(keeping: current)
    }

    /// Whether both times are dates without times of day, so that the event takes whole days.
    private var sendsDates: Bool {
        [self[.startedAt], self[.endedAt]].allSatisfy {
            $0.spelling?.utf8.count == "2026-06-02".count
        }
    }

    private func attributes(
        keeping current: EventAttributes?
    ) throws(ModelError) -> EventAttributes {
        var validation = Validation()
        let latitude = validation.required(
            "Lat",
            self[.latitude],
            keeping: current?.coordinate.latitude,
            .number(in: -90...90)
        )
        let longitude = validation.required(
            "Lon",
            self[.longitude],
            keeping: current?.coordinate.longitude,
            .number(in: -180...180)
        )
        let name = validation.required(
            "Name",
            self[.name],
            keeping: current?.name,
            .text(maximum: EventColumn.name.column.maximumLength)
        )
        let startedAt = validation.required(
            "Started at",
            self[.startedAt],
            keeping: current?.startedAt,
            .timestamp
        )
        let address = validation.optional(
            "Address",
            self[.address],
            keeping: current?.address,
            .text(maximum: EventColumn.address.column.maximumLength)
        )
        let endedAt = validation.optional(
            "Ended at",
            self[.endedAt].nullIfBlank,
            keeping: current?.endedAt,
            .timestamp
        )
        let hasDates = [startedAt, endedAt].allSatisfy { $0?.isMidnight ?? true }
        let details = EventColumn.details.map { column in
            // A client that doesn't know all-day events can change one to have times of day.
            let isKept = column != .allDay || hasDates
            let isImplied = column == .allDay && self[column].isBlank && sendsDates
            return validation.optional(
                column.title,
                isImplied ? .boolean(true) : self[column].nullIfBlank,
                keeping: isKept ? current?[column] : nil,
                column == .allDay ? .allDay(hasDates: hasDates) : column.rule
            )
        }
        guard validation.errors.isEmpty, let latitude, let longitude, let name, let startedAt
        else { throw .invalid(validation.errors) }
        var attributes = EventAttributes(
            name: name,
            address: address,
            coordinate: Coordinate(latitude: latitude, longitude: longitude),
            startedAt: startedAt,
            endedAt: endedAt
        )
        for (column, detail) in zip(EventColumn.details, details) {
            // Defaults, no tags and false are stored as NULL.
            let isDefault = detail == column.defaultDetail || detail == ""
            attributes[column] = isDefault ? nil : detail
        }
        return attributes
    }
}
