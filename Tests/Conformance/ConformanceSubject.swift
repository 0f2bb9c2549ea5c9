package import Events
package import Model

/// The stores that a case examines: all of them on one database that has no records.
///
/// Its members include those of `stores`.
@dynamicMemberLookup
package struct ConformanceSubject: Sendable {
    package var stores: Stores
    package var transfer: any RecordTransfer
    private let representation: EventRepresentation
    /// Changes the database behind the stores' back, by a statement that all engines understand.
    let change: @Sendable (StaticString) async throws -> Void

    /// Creates a subject whose events have this representation.
    package init(
        _ stores: Stores,
        _ transfer: any RecordTransfer,
        _ representation: EventRepresentation,
        change: @escaping @Sendable (StaticString) async throws -> Void
    ) {
        self.stores = stores
        self.transfer = transfer
        self.representation = representation
        self.change = change
    }

    package subscript<Store>(dynamicMember member: WritableKeyPath<Stores, Store>) -> Store {
        get { stores[keyPath: member] }
        set { stores[keyPath: member] = newValue }
    }
}

extension AttendanceStore {
    /// Returns the attendances of an event that everybody can see.
    func all(ofEvent id: Int64) async throws -> [Attendance]? {
        try await all(ofEvent: id, for: nil)
    }
}

extension ConformanceSubject {
    /// Returns the event with this id, and checks that its representations agree.
    func find(_ id: Int64) async throws -> Event? {
        let event = try await stores.events.find(id)
        let represented = event.flatMap { event in
            event.isPublic ? representation.event(event) : nil
        }
        try await expect(
            "the representation of event \(id)",
            stores.events.representation(of: id, for: nil),
            equals: represented
        )
        try expect(
            "the representation of event \(id) in memory, if it is there",
            stores.events.representationInMemory(of: id, for: nil) ?? represented,
            equals: represented
        )
        return event
    }

    /// Returns the nearest events, and checks that their representations agree.
    func nearest(
        to origin: Coordinate,
        within radius: Double,
        limit: Int
    ) async throws -> [Event] {
        let query = EventQuery(nearestTo: origin, within: radius, limit: limit)
        return try await page(query).events
    }

    /// Returns a page, after checking that its representations agree with its events.
    func page(_ query: EventQuery) async throws -> SearchedPage {
        var query = query
        query.needsEvents = true
        let page = try await stores.events.page(query)
        query.needsEvents = false
        let represented = try await stores.events.page(query)
        try expect(
            "the representations of the page of \(query)",
            texts(of: represented.rows),
            equals: texts(of: page.rows)
        )
        try expect(
            "the directions of the represented page of \(query)",
            represented.rows.map(\.direction),
            equals: page.rows.map(\.direction)
        )
        try expect(
            "the page after the represented page of \(query)",
            represented.next,
            equals: page.next
        )
        return SearchedPage(
            events: page.rows.compactMap { row in
                if case .event(let dated) = row.content { dated.event } else { nil }
            },
            directions: page.rows.map(\.direction),
            next: page.next,
            count: page.count
        )
    }

    /// Returns the representations of the events in a result.
    func texts(of found: [FoundEvent]) -> [String] {
        found.map { row in
            switch row.content {
            case .json(let bytes): String(decoding: bytes, as: UTF8.self)
            case .event(let event): text(of: event.event)
            }
        }
    }

    /// Returns the representations of events.
    func texts(of events: [Event]) -> [String] { events.map(text) }

    private func text(of event: Event) -> String {
        String(decoding: representation.event(event), as: UTF8.self)
    }
}

/// A page of the result of a search.
struct SearchedPage {
    let events: [Event]
    var ids: [Int64] { events.map(\.id) }
    let directions: [Direction?]
    let next: EventPosition?
    let count: EventCount?
}
