import Model
import Time

/// Events as a calendar (RFC 5545 and RFC 7986).
///
/// The calendar has no METHOD. With one, DTSTAMP would be the time of the response, so the bytes
/// and the ETag would always change.
enum EventCalendar {
    /// The size of a typical calendar without events, in bytes.
    private static let usualBytes = 512
    private static let usualEventBytes = 640

    static func body(of rows: [EventRow], _ presentation: EventPresentation) -> [UInt8] {
        body(
            of: rows,
            title: presentation.title,
            isBusy: presentation.isBusy,
            installation: presentation.installation
        )
    }

    /// Returns the calendar of a single event, for "add to calendar".
    static func body(of row: EventRow, installation: String) -> [UInt8] {
        body(of: [row], title: row.attributes.name, isBusy: true, installation: installation)
    }

    private static func body(
        of rows: [EventRow],
        title: String,
        isBusy: Bool,
        installation: String
    ) -> [UInt8] {
        var calendar = CalendarWriter(capacity: usualBytes + rows.count * usualEventBytes)
        calendar.line("BEGIN:VCALENDAR")
        calendar.line("VERSION:2.0")
        calendar.line("PRODID:-//Humon//Events//EN")
        calendar.line("CALSCALE:GREGORIAN")
        calendar.line("NAME:", text: title)
        calendar.line("X-WR-CALNAME:", text: title)
        calendar.line("REFRESH-INTERVAL;VALUE=DURATION:PT1H")
        calendar.line("X-PUBLISHED-TTL:PT1H")
        for row in rows { calendar.event(row, isBusy: isBusy, installation) }
        if rows.isEmpty { calendar.timeZone() }
        calendar.line("END:VCALENDAR")
        return calendar.bytes
    }
}

extension CalendarWriter {
    fileprivate mutating func event(_ row: EventRow, isBusy: Bool, _ installation: String) {
        let attributes = row.attributes
        let start = Self.second(of: attributes.startedAt)
        line("BEGIN:VEVENT")
        line("UID:", EventUUID.text(ofEvent: row.id, installation))
        line("DTSTAMP:", Self.second(of: row.event.updatedAt))
        line("CREATED:", Self.second(of: row.event.createdAt))
        line("LAST-MODIFIED:", Self.second(of: row.event.updatedAt))
        line("DTSTART:", start)
        // In this format, the order of texts is the order of times.
        if let end = attributes.endedAt.map(Self.second), end > start { line("DTEND:", end) }
        line("SUMMARY:", text: attributes.name)
        let place = EventText.place(of: row)
        line("LOCATION:", text: place)
        let latitude = EventText.sixDecimals(attributes.coordinate.latitude)
        let longitude = EventText.sixDecimals(attributes.coordinate.longitude)
        line("GEO:", latitude + ";" + longitude)
        // Apple's Calendar shows a map only if the title equals LOCATION.
        let title = Self.quotable(place)
        line(
            "X-APPLE-STRUCTURED-LOCATION;VALUE=URI;X-APPLE-RADIUS=100;X-TITLE=",
            "\"" + title + "\":geo:" + latitude + "," + longitude
        )
        if isBusy { line("TRANSP:OPAQUE") } else { line("TRANSP:TRANSPARENT") }
        line("END:VEVENT")
    }

    /// Writes UTC as a time zone: an empty calendar needs a component.
    fileprivate mutating func timeZone() {
        line("BEGIN:VTIMEZONE")
        line("TZID:Etc/UTC")
        line("BEGIN:STANDARD")
        line("DTSTART:19700101T000000")
        line("TZOFFSETFROM:+0000")
        line("TZOFFSETTO:+0000")
        line("TZNAME:UTC")
        line("END:STANDARD")
        line("END:VTIMEZONE")
    }

    /// Returns a time in UTC to the second, such as `20260601T180000Z`.
    private static func second(of time: Timestamp) -> String {
        let digits = time.text.unicodeScalars.prefix(19).filter { $0 != "-" && $0 != ":" }
        return String(String.UnicodeScalarView(digits)) + "Z"
    }
}
