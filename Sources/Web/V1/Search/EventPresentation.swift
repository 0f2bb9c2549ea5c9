package import Model
package import Time

/// What the representation of a page depends on besides its events.
package struct EventPresentation: Sendable {
    /// The unit of distances.
    package var unit: DistanceUnit
    /// Whether the query has a point, so that events have a distance and a bearing.
    package var hasPoint: Bool
    /// The fields that the client selects; nil for the usual ones.
    package var fields: [EventField]?
    /// Returns the offset of local time in seconds east of UTC, for times that people read.
    package var offset: @Sendable (Timestamp) -> Int
    /// Whether local time is UTC, so that `offset` needn't be called.
    package var isUTC: Bool
    /// The name of a calendar or feed.
    package var title: String
    /// Whether the events take up their attendee's time (`TRANSP:OPAQUE`).
    package var isBusy: Bool
    /// The path and query of this page, percent-encoded.
    package var selfLink: String
    /// The path and query of the next page, percent-encoded; nil for the last page.
    package var nextLink: String?
    /// The cursor of the next page; nil for the last page.
    package var cursor: String?
    /// The UUID of the installation, from which those of its events are derived.
    package var installation: String
    /// The filters of the query in their canonical form, without a question mark.
    package var filterText: String

    package init(
        unit: DistanceUnit = .kilometres,
        hasPoint: Bool,
        fields: [EventField]? = nil,
        offset: @escaping @Sendable (Timestamp) -> Int = { _ in 0 },
        isUTC: Bool = true,
        title: String,
        isBusy: Bool = false,
        selfLink: String,
        nextLink: String? = nil,
        cursor: String? = nil,
        installation: String,
        filterText: String
    ) {
        self.unit = unit
        self.hasPoint = hasPoint
        self.fields = fields
        self.offset = offset
        self.isUTC = isUTC
        self.title = title
        self.isBusy = isBusy
        self.selfLink = selfLink
        self.nextLink = nextLink
        self.cursor = cursor
        self.installation = installation
        self.filterText = filterText
    }

    /// Returns the fields of a representation that are present: the selected or the usual ones.
    func present(of all: [EventField]) -> [EventField] {
        all.filter { field in
            if let fields { return fields.contains(field) }
            return switch field {
            case .createdAt, .updatedAt: false
            case .distance, .bearing: hasPoint
            default: true
            }
        }
    }
}

/// An event of a page, with all that any representation shows of it.
struct EventRow {
    let event: DatedEvent
    let direction: Direction?
    let record: EventRecord

    init(_ event: DatedEvent, direction: Direction? = nil) {
        self.event = event
        self.direction = direction
        record = EventRecord(
            id: event.event.id,
            ownerID: event.event.ownerID,
            attributes: event.event.attributes
        )
    }

    var attributes: EventAttributes { event.event.attributes }
    var id: Int64 { event.event.id }

    /// The address; nil if it is empty, which names no place.
    var address: String? { attributes.address.flatMap { $0.isEmpty ? nil : $0 } }
}

extension EventPage {
    /// The rows of the page, all of which must have events.
    var eventRows: [EventRow] {
        rows.compactMap { row in
            guard case .event(let event) = row.content else {
                assertionFailure("the query must ask for events")
                return nil
            }
            return EventRow(event, direction: row.direction)
        }
    }
}
