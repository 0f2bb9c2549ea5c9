import Events
import Formats
import HTTP
import JSON
import Model

/// Events as JSON for admins: with their times, why they are hidden, and how many reports are open.
enum AdminEventView {
    /// Returns the entity tag of the response with an event.
    ///
    /// It is that of the values that an admin edits. Whether the event is hidden, the numbers of
    /// reports and attendances and the name of the owner must not prevent an edit.
    @Sendable static func etag(_ event: Event) -> String {
        var event = event
        (event.ownerName, event.hidden) = (nil, nil)
        return ETag.make(for: json(event).span)
    }

    /// Returns the body of a page.
    ///
    /// - Parameters:
    ///   - page: The page, whose rows must contain events.
    ///   - reports: The numbers of open reports about its events, without zeros.
    ///   - unit: The unit of distances; nil without a point.
    ///   - cursor: The cursor of the next page; nil on the last page.
    /// - Returns: The body.
    static func json(
        _ page: EventPage,
        reports: [Int64: Int64],
        unit: DistanceUnit?,
        cursor: String?
    ) -> ListBody {
        func document(_ json: inout JSONWriter, _ items: (inout JSONWriter) -> Void) {
            json.object {
                $0.counts(page.count)
                $0.key("items")
                items(&$0)
                $0.field("next", cursor)
            }
        }
        return .json(page.eventRows, in: document) { row, json in
            json.event(row, reports: reports[row.id]) {
                if let unit { $0.direction(row.direction, unit) }
            }
        }
    }

    /// Returns an event as the API has it, but with the cause why it is hidden.
    fileprivate static func json(_ event: Event) -> [UInt8] {
        JSONWriter.bytes { $0.event(EventRecord(event), namesCause: true) }
    }
}

extension JSONWriter {
    /// Writes an event for admins; `others` writes further members.
    mutating func event(
        _ row: EventRow,
        reports: Int64?,
        _ others: (inout JSONWriter) -> Void
    ) {
        object(extending: AdminEventView.json(row.event.event).span) {
            $0.field("created_at", row.event.createdAt)
            $0.field("updated_at", row.event.updatedAt)
            if let reports { $0.field("reports", reports) }
            others(&$0)
        }
    }
}
