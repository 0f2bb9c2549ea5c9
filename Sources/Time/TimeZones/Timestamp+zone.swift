extension Timestamp {
    /// Parses an instant, or returns nil if it is outside of the years 0000 to 9999 in UTC.
    ///
    /// The format is that of `Timestamp(parsing:)`. A time without an offset is local time in
    /// `zone`, and a date alone is midnight there. A space counts as the `+` of an offset, because
    /// decoding a query turns a `+` into a space.
    package init?(parsing text: String, in zone: TimeZone) {
        guard let time = TimeText(text, readsSpaceAsPlus: true),
            let instant = time.instant(defaultOffset: zone.offset(atLocal: time.local))
        else { return nil }
        self = instant
    }

    /// The start of the minute, clamped to the years 0000 to 9999.
    package var beginningOfMinute: Timestamp {
        let instant = min(max(self, .earliest), .latest)
        // Relative to the earliest instant, no time is negative, so the remainder isn't either.
        let elapsed = instant.milliseconds - Timestamp.earliest.milliseconds
        return Timestamp(milliseconds: instant.milliseconds - elapsed % 60_000)
    }
}
