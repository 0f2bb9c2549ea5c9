import Bytes
import Events
import Time

/// Events as an Atom feed (RFC 4287) with their places (GeoRSS Simple).
enum EventFeed {
    static func body(of rows: [EventRow], _ presentation: EventPresentation) -> ListBody {
        ListBody(
            count: rows.count,
            begin: { feed in
                let updated = rows.map(\.event.updatedAt).max() ?? Timestamp(milliseconds: 0)
                begin(&feed, updated: updated, presentation)
            },
            elements: { range, feed in
                let rows = rows.span
                for index in range { append(rows[index], presentation, to: &feed) }
            },
            end: { $0.append("</feed>\n") }
        )
    }

    private static func begin(
        _ feed: inout [UInt8],
        updated: Timestamp,
        _ presentation: EventPresentation
    ) {
        feed.append(
            """
            <?xml version="1.0" encoding="utf-8"?>
            <feed xmlns="http://www.w3.org/2005/Atom" xmlns:georss="http://www.georss.org/georss">
            <id>urn:uuid:
            """
        )
        feed.append(xml: EventUUID.text(ofFeed: presentation.filterText, presentation.installation))
        feed.append("</id>\n<title>")
        feed.append(xml: presentation.title)
        feed.append("</title>\n<updated>")
        feed.append(copying: updated.textBytes.span)
        feed.append("</updated>\n<author><name>Humon</name></author>\n")
        append(link: presentation.selfLink, "<link rel=\"self\" href=\"", to: &feed)
        if let next = presentation.nextLink {
            append(link: next, "<link rel=\"next\" href=\"", to: &feed)
        }
    }

    /// Appends a link; it needs no escaping of quotes, because it is percent-encoded.
    private static func append(link: String, _ opening: StaticString, to feed: inout [UInt8]) {
        feed.append(opening)
        feed.append(xml: link)
        feed.append("\"/>\n")
    }

    private static func append(
        _ row: EventRow,
        _ presentation: EventPresentation,
        to feed: inout [UInt8]
    ) {
        feed.append("<entry><id>urn:uuid:")
        feed.append(xml: EventUUID.text(ofEvent: row.id, presentation.installation))
        feed.append("</id><title>")
        switch row.attributes.status {
        case .scheduled: break
        case .cancelled: feed.append("Cancelled: ")
        case .postponed: feed.append("Postponed: ")
        }
        feed.append(xml: row.attributes.name)
        feed.append("</title>")
        let attributes = row.attributes
        // An entry has one alternate link (RFC 4287 section 4.1.1).
        if let link = presentation.eventLink, attributes[.url] == nil {
            feed.append("<link rel=\"alternate\" href=\"")
            feed.append(xml: link)
            feed.append(decimal: row.id)
            feed.append("\"/>")
        }
        feed.append("<published>")
        feed.append(copying: row.event.createdAt.textBytes.span)
        feed.append("</published><updated>")
        feed.append(copying: row.event.updatedAt.textBytes.span)
        feed.append("</updated>")
        if let link = attributes[.url] {
            feed.append("<link rel=\"alternate\" href=\"")
            feed.append(xml: link)
            feed.append("\"/>")
        }
        for term in attributes.terms {
            feed.append("<category term=\"")
            feed.append(xml: term, inAttribute: true)
            feed.append("\"/>")
        }
        feed.append("<content type=\"text\">")
        append(contentOf: row, presentation, to: &feed)
        feed.append("</content><georss:point>")
        let coordinate = row.attributes.coordinate
        feed.append(sixDecimals: coordinate.latitude)
        feed.append(" ")
        feed.append(sixDecimals: coordinate.longitude)
        feed.append("</georss:point></entry>\n")
    }

    /// Appends the time, the address and the direction of an event.
    ///
    /// For example: `2026-06-01 18:00Z to 2026-06-01 19:00Z, 85 2nd St, 0.212 km S`.
    private static func append(
        contentOf row: EventRow,
        _ presentation: EventPresentation,
        to feed: inout [UInt8]
    ) {
        let attributes = row.attributes
        feed.append(attributes.startedAt, of: attributes, presentation)
        if let end = attributes.endedAt, end > attributes.startedAt {
            feed.append(" to ")
            feed.append(end, of: attributes, presentation)
        }
        if let address = row.address {
            feed.append(", ")
            feed.append(xml: address)
        }
        if let direction = row.direction {
            feed.append(", ")
            feed.append(distance: direction, presentation.unit)
            if let point = EventText.compassPoint(direction) {
                feed.append(" ")
                feed += point.utf8
            }
        }
        if let description = attributes[.description] {
            feed.append("\n\n")
            feed.append(xml: description)
        }
    }
}
