package import Time

extension EventWindow {
    /// Creates the window that a word, a date or a month names, or returns nil for other texts.
    ///
    /// `today`, `weekend`, `week` and `month` begin no earlier than the current minute. A weekend
    /// lasts from Friday 18:00 to Monday 0:00, and a week begins on Monday. A window whose end is
    /// after the year 9999 has no end.
    ///
    /// - Parameters:
    ///   - words: `now`, `upcoming`, `today`, `tomorrow`, `weekend`, `week`, `next-week`, `month`,
    ///     `next-month`, `2026-06-01` or `2026-06`, in any letter case.
    ///   - now: The current time.
    ///   - zone: The time zone of days.
    package init?(words: String, now: Timestamp, zone: TimeZone) {
        let calendar = LocalCalendar(now: now, zone: zone)
        let window: EventWindow? =
            switch Self.withSmallLetters(words) {
            case "now": calendar.currentMinute
            case "upcoming": EventWindow(from: calendar.minute)
            case "today": calendar.rest(ofDays: calendar.today, count: 1)
            case "tomorrow": calendar.window(ofDays: calendar.today + 1, count: 1)
            case "weekend":
                calendar.rest(ofDays: calendar.monday + 4, count: 3, firstHour: 18)
            case "week": calendar.rest(ofDays: calendar.monday, count: 7)
            case "next-week": calendar.window(ofDays: calendar.monday + 7, count: 7)
            case "month": calendar.rest(ofMonth: calendar.firstOfMonth)
            case "next-month": calendar.window(ofMonth: calendar.firstOfNextMonth)
            default: calendar.window(ofDate: words)
            }
        guard let window else { return nil }
        self = window
    }

    /// Returns the text with ASCII letters in lower case; other letters, such as the Kelvin sign,
    /// stay.
    private static func withSmallLetters(_ text: String) -> String {
        let capitals = UInt8(ascii: "A")...UInt8(ascii: "Z")
        return String(
            decoding: text.utf8.map { capitals.contains($0) ? $0 | 0x20 : $0 },
            as: UTF8.self
        )
    }
}

/// The days around the current time in a time zone, counted from 1 January 1970.
private struct LocalCalendar {
    let minute: Timestamp
    let today: Int
    let monday: Int
    let firstOfMonth: Int
    let firstOfNextMonth: Int
    private let zone: TimeZone

    init(now: Timestamp, zone: TimeZone) {
        self.zone = zone
        minute = now.beginningOfMinute
        let date = UTCTime(zone.local(at: min(max(now, .earliest), .latest))).date
        today = date.daysSince1970
        monday = today - (date.weekday + 6) % 7
        firstOfMonth = today - (date.day - 1)
        firstOfNextMonth = firstOfMonth + date.daysInMonth
    }

    var currentMinute: EventWindow {
        window(from: minute, to: Timestamp(milliseconds: minute.milliseconds + 60_000))
    }

    func window(ofDays first: Int, count: Int) -> EventWindow {
        window(from: instant(ofDay: first), to: instant(ofDay: first + count))
    }

    func window(ofMonth first: Int) -> EventWindow {
        window(ofDays: first, count: GregorianDate(daysSince1970: first).daysInMonth)
    }

    /// Returns the rest of some days from the current minute on; the first day begins at an hour.
    func rest(ofDays first: Int, count: Int, firstHour: Int = 0) -> EventWindow {
        let start = instant(ofDay: first, hour: firstHour)
        return window(from: max(start, minute), to: instant(ofDay: first + count))
    }

    func rest(ofMonth first: Int) -> EventWindow {
        rest(ofDays: first, count: GregorianDate(daysSince1970: first).daysInMonth)
    }

    /// Returns the day or the month that a text such as `2026-06-01` or `2026-06` names.
    func window(ofDate text: String) -> EventWindow? {
        if let date = GregorianDate(parsing: text) {
            return window(ofDays: date.daysSince1970, count: 1)
        }
        return GregorianDate(parsing: text + "-01").map { window(ofMonth: $0.daysSince1970) }
    }

    private func window(from: Timestamp, to: Timestamp) -> EventWindow {
        let from = min(max(from, .earliest), .latest)
        // If clocks go back over midnight, the first midnight ends the day. It may be over already.
        return EventWindow(from: from, to: to > .latest ? nil : max(from, to))
    }

    private func instant(ofDay day: Int, hour: Int = 0) -> Timestamp {
        let local = Int64(day) * Timestamp.millisecondsPerDay + Int64(hour) * 3_600_000
        return zone.instant(ofLocal: Timestamp(milliseconds: local))
    }
}
