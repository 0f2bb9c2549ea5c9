import Time

/// The values of an event, besides its place, that filters compare.
package struct FilterValues: BitwiseCopyable, Equatable, Sendable {
    /// ms since 1970, as `end`.
    package let startedAt: Int64
    /// The end, or less than `startedAt` for an event without an end: its end depends on the query.
    ///
    /// An end before the start counts as the start.
    package let end: Int64
    package let ownerID: Int64

    package init(startedAt: Int64, end: Int64, ownerID: Int64) {
        self.startedAt = startedAt
        self.end = end
        self.ownerID = ownerID
    }

    /// Creates the values of an event with these times in ms since 1970.
    package init(startedAt: Int64, endedAt: Int64?, ownerID: Int64) {
        let before = startedAt.subtractingReportingOverflow(1)
        self.init(
            startedAt: startedAt,
            end: endedAt.map { max($0, startedAt) }
                ?? (before.overflow ? startedAt : before.partialValue),
            ownerID: ownerID
        )
    }

    /// The values of an event.
    package init(_ event: Event) {
        self.init(
            startedAt: event.attributes.startedAt.milliseconds,
            endedAt: event.attributes.end?.milliseconds,
            ownerID: event.ownerID
        )
    }

    /// The end without the hours that a query adds to an event without an end.
    var leastEnd: Int64 { max(end, startedAt) }
}

/// A new event, a new version of an event, or its removal.
package struct EventChange: Sendable {
    package struct Content: Sendable {
        package let coordinate: Coordinate
        package let point: UnitVector
        package let values: FilterValues
        package let status: EventStatuses
        /// Whether everybody can see it.
        package let isPublic: Bool
        /// The terms by which searches find the event, each once.
        let terms: [EventTerm]
        /// The event as clients get it, or nil if it was not read.
        package var json: [UInt8]?

        package init(
            coordinate: Coordinate,
            values: FilterValues,
            status: EventStatuses = .scheduled,
            isPublic: Bool = true,
            json: [UInt8]? = nil
        ) {
            self.init(
                coordinate: coordinate,
                values: values,
                status: status,
                isPublic: isPublic,
                terms: [],
                json: json
            )
        }

        init(
            coordinate: Coordinate,
            values: FilterValues,
            status: EventStatuses = .scheduled,
            isPublic: Bool = true,
            terms: [EventTerm],
            json: [UInt8]? = nil
        ) {
            self.coordinate = coordinate
            point = coordinate.unitVector
            self.values = values
            self.status = status
            self.isPublic = isPublic
            self.terms = terms
            self.json = json
        }
    }

    /// The id of the event.
    package let id: Int64
    /// The new content, or nil for a removal.
    package let content: Content?

    package init(id: Int64, content: Content?) {
        self.id = id
        self.content = content
    }

    /// Creates the change that stores an event, new or changed.
    package init(_ event: Event, _ representation: EventRepresentation, withContent: Bool) {
        self.init(
            id: event.id,
            content: Content(
                coordinate: event.attributes.coordinate,
                values: FilterValues(event),
                status: EventStatuses(event),
                isPublic: event.isPublic,
                terms: representation.terms.terms(of: event.attributes),
                json: withContent ? representation.event(event) : nil
            )
        )
    }

    /// About the time to apply it, as a multiple of that of an event without terms.
    var cost: Int { 1 + (content?.terms.count ?? 0) / 8 }

    /// About the memory that it takes, in bytes.
    package var byteCount: Int {
        128 + (content?.json?.count ?? 0) + (content?.terms.count ?? 0) * Self.termBytes
    }

    /// The memory of a term and of its posting while they are sorted into the index.
    private static let termBytes = 48
}
