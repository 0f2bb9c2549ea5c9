package import Time

extension Timestamp {
    /// The instant that `text` names; nil if it names none of the years 0000 to 9999 in UTC.
    ///
    /// The form is that of `Timestamp(parsing:)`. But without an offset, the time is local in
    /// `zone`, and a date alone is its midnight there. A space in the place of an offset's sign is
    /// read as `+`, because it was one before a query was decoded.
    package init?(parsing text: String, in zone: TimeZone) {
        guard let time = TimeText(text, readsSpaceAsPlus: true),
            let instant = time.instant(defaultOffset: zone.offset(atLocal: time.local))
        else { return nil }
        self = instant
    }

    /// The beginning of the minute, clamped to the years 0000 to 9999.
    package var beginningOfMinute: Timestamp {
        let instant = min(max(self, .earliest), .latest)
        // Counted from the earliest instant nothing is negative, so that division rounds down.
        let elapsed = instant.milliseconds - Timestamp.earliest.milliseconds
        return Timestamp(milliseconds: instant.milliseconds - elapsed % 60_000)
    }
}
