import Bytes
import Events
import Time

/// Events as a calendar (RFC 5545 and RFC 7986).
///
/// The calendar has no METHOD. With one, DTSTAMP would be the time of the response, so the bytes
/// and the ETag would always change.
enum EventCalendar {
    static func body(of rows: [EventRow], _ presentation: EventPresentation) -> ListBody {
        body(
            of: rows,
            title: presentation.title,
            isBusy: presentation.isBusy,
            installation: presentation.installation
        )
    }

    /// Returns the calendar of a single event, for "add to calendar".
    static func body(of row: EventRow, installation: String) -> ListBody {
        body(of: [row], title: row.attributes.name, isBusy: true, installation: installation)
    }

    private static func body(
        of rows: [EventRow],
        title: String,
        isBusy: Bool,
        installation: String
    ) -> ListBody {
        ListBody(
            count: rows.count,
            begin: { calendar in
                calendar.begin(title: title)
                if rows.isEmpty { calendar.timeZone() }
            },
            elements: { range, calendar in
                let rows = rows.span
                for index in range { calendar.event(rows[index], isBusy: isBusy, installation) }
            },
            end: { $0.append("END:VCALENDAR\r\n") }
        )
    }
}

extension [UInt8] {
    fileprivate mutating func begin(title: String) {
        append(
            """
            BEGIN:VCALENDAR\r
            VERSION:2.0\r
            PRODID:-//Humon//Events//EN\r
            CALSCALE:GREGORIAN\r

            """
        )
        longLine("NAME:") { $0.append(calendarText: title) }
        longLine("X-WR-CALNAME:") { $0.append(calendarText: title) }
        append("REFRESH-INTERVAL;VALUE=DURATION:PT1H\r\nX-PUBLISHED-TTL:PT1H\r\n")
    }

    fileprivate mutating func event(_ row: EventRow, isBusy: Bool, _ installation: String) {
        let attributes = row.attributes
        append("BEGIN:VEVENT\r\n")
        line("UID:") {
            $0.append(copying: EventUUID.text(ofEvent: row.id, installation).utf8Span.span)
        }
        let updated = row.event.updatedAt.textBytes
        line("DTSTAMP:") { $0.append(calendarTime: updated.span) }
        line("CREATED:") { $0.append(calendarTime: row.event.createdAt.textBytes.span) }
        line("LAST-MODIFIED:") { $0.append(calendarTime: updated.span) }
        line("DTSTART:") { $0.append(calendarTime: attributes.startedAt.textBytes.span) }
        if let end = attributes.endedAt, end.second > attributes.startedAt.second {
            line("DTEND:") { $0.append(calendarTime: end.textBytes.span) }
        }
        longLine("SUMMARY:") { $0.append(calendarText: attributes.name) }
        place(of: row)
        details(of: attributes)
        switch attributes.status {
        case .scheduled: break
        case .cancelled: append("STATUS:CANCELLED\r\n")
        case .postponed: append("STATUS:TENTATIVE\r\n")
        }
        if attributes.isPrivate { append("CLASS:PRIVATE\r\n") }
        let blocksTime = isBusy && attributes.status == .scheduled
        append(blocksTime ? "TRANSP:OPAQUE\r\n" : "TRANSP:TRANSPARENT\r\n")
        append("END:VEVENT\r\n")
    }

    private mutating func place(of row: EventRow) {
        let coordinate = row.attributes.coordinate
        let address = EventText.visibleAddress(of: row)
        longLine("LOCATION:") { line in
            if let address { return line.append(calendarText: address) }
            line.append(coordinate, separator: "\\, ")
        }
        line("GEO:") { $0.append(coordinate, separator: ";") }
        // Apple's Calendar shows a map only if the title equals LOCATION.
        longLine("X-APPLE-STRUCTURED-LOCATION;VALUE=URI;X-APPLE-RADIUS=100;X-TITLE=\"") { line in
            if let address {
                line.append(calendarParameter: address)
            } else {
                line.append(coordinate, separator: ", ")
            }
            line.append("\":geo:")
            line.append(coordinate, separator: ",")
        }
    }

    private mutating func details(of attributes: EventAttributes) {
        if let description = attributes[.description] {
            longLine("DESCRIPTION:") { $0.append(calendarText: description) }
        }
        if let link = attributes[.url] { longLine("URL:") { $0 += link.utf8 } }
        if let image = attributes[.imageURL] {
            longLine("IMAGE;VALUE=URI;DISPLAY=BADGE:") { $0 += image.utf8 }
        }
        let terms = attributes.terms
        guard !terms.isEmpty else { return }
        longLine("CATEGORIES:") { line in
            for (index, term) in terms.enumerated() {
                if index > 0 { line.append(",") }
                line.append(calendarText: term)
            }
        }
    }

    /// Writes UTC as a time zone: an empty calendar needs a component.
    fileprivate mutating func timeZone() {
        append(
            """
            BEGIN:VTIMEZONE\r
            TZID:Etc/UTC\r
            BEGIN:STANDARD\r
            DTSTART:19700101T000000\r
            TZOFFSETFROM:+0000\r
            TZOFFSETTO:+0000\r
            TZNAME:UTC\r
            END:STANDARD\r
            END:VTIMEZONE\r

            """
        )
    }
}

extension [UInt8] {
    /// Appends a time to the second, such as `20260601T180000Z`, from its text with separators.
    fileprivate mutating func append(calendarTime text: Span<UInt8>) {
        for range in [0..<4, 5..<7, 8..<13, 14..<16, 17..<19] {
            append(copying: text.extracting(range))
        }
        append(UInt8(ascii: "Z"))
    }

    /// Appends the latitude and longitude with six decimals.
    fileprivate mutating func append(_ coordinate: Coordinate, separator: StaticString) {
        append(sixDecimals: coordinate.latitude)
        append(separator)
        append(sixDecimals: coordinate.longitude)
    }
}

extension Timestamp {
    /// The whole seconds since the earliest time, as far as the time can be written.
    fileprivate var second: Int64 {
        let time = Swift.min(Swift.max(self, .earliest), .latest)
        return (time.milliseconds - Timestamp.earliest.milliseconds) / 1000
    }
}
