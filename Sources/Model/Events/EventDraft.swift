/// The values that a client sent for an event, before validation.
package struct EventDraft: Equatable, Sendable {
    package var name: Input
    package var address: Input
    package var latitude: Input
    package var longitude: Input
    package var startedAt: Input
    package var endedAt: Input

    package init(
        name: Input = .absent,
        address: Input = .absent,
        latitude: Input = .absent,
        longitude: Input = .absent,
        startedAt: Input = .absent,
        endedAt: Input = .absent
    ) {
        self.name = name
        self.address = address
        self.latitude = latitude
        self.longitude = longitude
        self.startedAt = startedAt
        self.endedAt = endedAt
    }

    /// Returns the attributes of a new event with these values.
    ///
    /// Throws `ModelError.invalid` with the attributes that break a rule, in the order Lat, Lon,
    /// Name, Started at, Address, Ended at.
    package func attributes() throws(ModelError) -> EventAttributes {
        try attributes(keeping: nil)
    }

    /// Returns `current` with these changes; absent values are kept, and null clears.
    ///
    /// Throws as `attributes()` does, for the values that were sent.
    package func merged(
        onto current: EventAttributes
    ) throws(ModelError) -> EventAttributes {
        try attributes(keeping: current)
    }

    private func attributes(
        keeping current: EventAttributes?
    ) throws(ModelError) -> EventAttributes {
        var validation = Validation()
        let latitude = validation.required(
            "Lat",
            latitude,
            keeping: current?.coordinate.latitude,
            .number(in: -90...90)
        )
        let longitude = validation.required(
            "Lon",
            longitude,
            keeping: current?.coordinate.longitude,
            .number(in: -180...180)
        )
        let name = validation.required("Name", name, keeping: current?.name, .text(maximum: 255))
        let startedAt = validation.required(
            "Started at",
            startedAt,
            keeping: current?.startedAt,
            .timestamp
        )
        let address = validation.optional(
            "Address",
            address,
            keeping: current?.address,
            .text(maximum: 1000)
        )
        let endedAt = validation.optional(
            "Ended at",
            endedAt.nullIfBlank,
            keeping: current?.endedAt,
            .timestamp
        )
        guard validation.errors.isEmpty, let latitude, let longitude, let name, let startedAt
        else { throw .invalid(validation.errors) }
        return EventAttributes(
            name: name,
            address: address,
            coordinate: Coordinate(latitude: latitude, longitude: longitude),
            startedAt: startedAt,
            endedAt: endedAt
        )
    }
}
