import Bytes
import Model
import Time

/// Events as an Atom feed (RFC 4287) with their places (GeoRSS Simple).
enum EventFeed {
    /// The size of a typical feed without entries, in bytes.
    private static let usualBytes = 768
    private static let usualEntryBytes = 512

    static func body(of rows: [EventRow], _ presentation: EventPresentation) -> [UInt8] {
        let updated = rows.map(\.event.updatedAt).max() ?? Timestamp(milliseconds: 0)
        var feed: [UInt8] = []
        feed.reserveCapacity(usualBytes + rows.count * usualEntryBytes)
        feed.append(
            """
            <?xml version="1.0" encoding="utf-8"?>
            <feed xmlns="http://www.w3.org/2005/Atom" xmlns:georss="http://www.georss.org/georss">
            <id>urn:uuid:
            """
        )
        feed.append(
            xml: EventUUID.text(ofFeed: presentation.filterText, presentation.installation)
        )
        feed.append("</id>\n<title>")
        feed.append(xml: presentation.title)
        feed.append("</title>\n<updated>")
        feed.append(xml: updated.text)
        feed.append("</updated>\n<author><name>Humon</name></author>\n")
        append(link: presentation.selfLink, "<link rel=\"self\" href=\"", to: &feed)
        if let next = presentation.nextLink {
            append(link: next, "<link rel=\"next\" href=\"", to: &feed)
        }
        for row in rows { append(row, presentation, to: &feed) }
        feed.append("</feed>\n")
        return feed
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
        feed.append(xml: row.attributes.name)
        feed.append("</title>")
        if let link = presentation.eventLink {
            feed.append("<link rel=\"alternate\" href=\"")
            feed.append(xml: link)
            feed.append(decimal: row.id)
            feed.append("\"/>")
        }
        feed.append("<published>")
        feed.append(xml: row.event.createdAt.text)
        feed.append("</published><updated>")
        feed.append(xml: row.event.updatedAt.text)
        feed.append("</updated><content type=\"text\">")
        feed.append(xml: content(of: row, presentation))
        feed.append("</content><georss:point>")
        let coordinate = row.attributes.coordinate
        feed.append(xml: EventText.sixDecimals(coordinate.latitude))
        feed.append(" ")
        feed.append(xml: EventText.sixDecimals(coordinate.longitude))
        feed.append("</georss:point></entry>\n")
    }

    /// Returns the time, the address and the direction of an event.
    ///
    /// For example: `2026-06-01 18:00Z to 2026-06-01 19:00Z, 85 2nd St, 0.212 km S`.
    private static func content(
        of row: EventRow,
        _ presentation: EventPresentation
    ) -> String {
        let attributes = row.attributes
        var text = EventText.time(attributes.startedAt, presentation)
        if let end = attributes.endedAt, end > attributes.startedAt {
            text += " to " + EventText.time(end, presentation)
        }
        if let address = row.address { text += ", " + address }
        if let direction = row.direction {
            text += ", " + EventText.distance(direction, presentation.unit)
            if let point = EventText.compassPoint(direction) { text += " " + point }
        }
        return text
    }
}
