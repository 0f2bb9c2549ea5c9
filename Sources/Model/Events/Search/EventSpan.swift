package import Time

/// The length of an event as a power of two, which limits the starts to search for a time window.
///
/// The span is 0 up to an hour, n up to 2^n hours, and `greatest` beyond 2^20 hours (120 years).
/// The column `span` of the table `events` has the same value.
package enum EventSpan {
    /// The span of the longest events; their length is not limited.
    package static let greatest: Int64 = 21

    private static let hour: Int64 = 3_600_000

    /// Returns the span of an event with this start and end.
    ///
    /// The span is 0 without an end, or if the end is before the start.
    package static func span(from start: Timestamp, to end: Timestamp?) -> Int64 {
        guard let end else { return 0 }
        let (length, overflow) = end.milliseconds.subtractingReportingOverflow(start.milliseconds)
        if overflow { return end < start ? 0 : greatest }
        return (0..<greatest).first { length <= hour << $0 } ?? greatest
    }

    /// Returns the maximum length of events with a span in ms, or nil if it is not limited.
    package static func maximumMilliseconds(of span: Int64) -> Int64? {
        guard span < greatest else { return nil }
        return hour << max(span, 0)
    }
}

extension EventWindow {
    /// Returns the half-open range of starts that events with a span can have, in ms since 1970.
    ///
    /// Events without an end have the span 0.
    package func starts(of span: Int64) -> (from: Int64, to: Int64) {
        let to = to?.milliseconds ?? .max
        guard let from = from?.milliseconds else { return (.min, to) }
        guard includesOngoing else { return (from, to) }
        guard let length = EventSpan.maximumMilliseconds(of: span) else { return (.min, to) }
        let (first, overflows) = from.subtractingReportingOverflow(length)
        if overflows { return (.min, to) }
        return (span > 0 ? first : min(first, openStart), to)
    }
}
