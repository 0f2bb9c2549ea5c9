import Events
import Model
import Time

/// The parameters of a page's representation, besides the events.
struct EventPresentation: Sendable {
    /// The unit of distances.
    var unit = DistanceUnit.kilometres
    /// Whether the query has a point, so that events have a distance and a bearing.
    var hasPoint: Bool
    /// The fields that the client requests, or nil for the default fields.
    var fields: [EventField]?
    /// Returns the offset of local time in seconds east of UTC, for times in text and Atom.
    var offset: @Sendable (Timestamp) -> Int = { _ in 0 }
    /// Whether local time is UTC; then `offset` is not called.
    var isUTC = true
    /// The title of the calendar or feed; unused in other formats.
    var title: String
    /// Whether the events take up their attendee's time (`TRANSP:OPAQUE`).
    var isBusy = false
    /// The URL of this page, percent-encoded; unused in other formats than Atom.
    var selfLink: String
    /// The URL of an event without its id, percent-encoded, or nil without links to events.
    var eventLink: String?
    /// The path and query of the next page, percent-encoded, or nil on the last page.
    var nextLink: String?
    /// The cursor of the next page, or nil on the last page.
    var cursor: String?
    /// The installation's UUID, from which the events' UUIDs are computed.
    var installation: String
    /// The filters of the query in their canonical form, without a question mark.
    var filterText: String

    /// Returns the fields of `all` to write: the requested or the default ones.
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

/// An event of a page, with the values that representations show.
struct EventRow {
    let event: DatedEvent
    let direction: Direction?
    let record: EventRecord

    init(_ event: DatedEvent, direction: Direction? = nil) {
        self.event = event
        self.direction = direction
        record = EventRecord(event.event)
    }

    var attributes: EventAttributes { event.event.attributes }
    var id: Int64 { event.event.id }

    /// The address, or nil if it is missing or empty.
    var address: String? { attributes.address.flatMap { $0.isEmpty ? nil : $0 } }
}

extension EventPage {
    /// The rows of the page, which must contain events.
    var eventRows: [EventRow] {
        rows.compactMap { row in
            guard case .event(let event) = row.content else {
                assertionFailure("the query must set needsEvents")
                return nil
            }
            return EventRow(event, direction: row.direction)
        }
    }
}
