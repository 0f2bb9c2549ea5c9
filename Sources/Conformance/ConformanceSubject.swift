package import Model

/// The stores that a case examines: all of them on one database that has no records.
///
/// Its members include those of `stores`.
@dynamicMemberLookup
package struct ConformanceSubject: Sendable {
    package var stores: Stores
    package var transfer: any RecordTransfer
    private let representation: EventRepresentation

    /// Creates a subject whose events have this representation.
    package init(
        _ stores: Stores,
        _ transfer: any RecordTransfer,
        _ representation: EventRepresentation
    ) {
        self.stores = stores
        self.transfer = transfer
        self.representation = representation
    }

    package subscript<Store>(dynamicMember member: WritableKeyPath<Stores, Store>) -> Store {
        get { stores[keyPath: member] }
        set { stores[keyPath: member] = newValue }
    }
}

extension ConformanceSubject {
    /// Returns the event with this id, and checks that its representation agrees.
    func find(_ id: Int64) async throws -> Event? {
        let event = try await stores.events.find(id)
        try await expect(
            "the representation of event \(id)",
            stores.events.representation(of: id),
            equals: event.map(representation.event)
        )
        return event
    }

    /// Returns the nearest events, and checks that the representation of the list agrees.
    func nearest(
        to origin: Coordinate,
        within radius: Double,
        limit: Int
    ) async throws -> [Event] {
        let events = try await stores.events.nearest(to: origin, within: radius, limit: limit)
        try await expect(
            """
            the list of the \(limit) events within \(radius) km of \
            \(origin.latitude), \(origin.longitude)
            """,
            stores.events.nearestList(to: origin, within: radius, limit: limit),
            equals: EventList(representation, of: events)
        )
        return events
    }
}
