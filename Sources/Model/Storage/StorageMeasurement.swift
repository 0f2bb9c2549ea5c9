package import Events

/// A measurement of a storage for monitoring.
package struct StorageMeasurement: Equatable, Sendable {
    package enum Value: Equatable, Sendable {
        case counter(UInt64)
        /// A counter of seconds.
        case seconds(Double)
        case gauge(Int)
        /// Counts of the values up to 1, 2, 4 and so on, and the sum of all values.
        case histogram(counts: [UInt64], sum: UInt64)
    }

    /// The name of the metric in the format of Prometheus.
    package let name: String
    /// One line that explains it.
    package let help: String
    package let value: Value

    package init(_ name: String, _ help: String, _ value: Value) {
        self.name = name
        self.help = help
        self.value = value
    }
}

extension BroadSearches {
    /// Returns the measurements of the searches and of the events in memory.
    ///
    /// `index` has the events; nil for a command.
    package func measurements(of index: LivingEventIndex?) -> [StorageMeasurement] {
        let (terms, position) = (index?.terms, index?.position)
        return [
            StorageMeasurement(
                "humon_event_index_bytes",
                "Memory of all events; 0 while they are being loaded.",
                .gauge(index?.byteCount ?? 0)
            ),
            StorageMeasurement(
                "humon_index_terms",
                "Words, tags, categories and series of all events.",
                .gauge(terms?.count ?? 0)
            ),
            StorageMeasurement(
                "humon_index_term_bytes",
                "The part of humon_event_index_bytes that is for them.",
                .gauge(terms?.bytes ?? 0)
            ),
            StorageMeasurement(
                "humon_private_events",
                "Private events; 0 while events are being loaded.",
                .gauge(index?.privateEventCount ?? 0)
            ),
            StorageMeasurement(
                "humon_changes_number",
                "Number of the latest change that the events have; 0 while they are behind.",
                .gauge(Int(clamping: position?.number ?? 0))
            ),
            StorageMeasurement(
                "humon_changes_rows",
                "Numbers of the log up to this change, about as many as changes.",
                .gauge(Int(clamping: position.map { $0.number - $0.floor } ?? 0))
            ),
            StorageMeasurement(
                "humon_search_queue_length",
                "Long searches waiting for their thread.",
                .gauge(waitingSearches)
            ),
            StorageMeasurement(
                "humon_rejected_searches_total",
                "Long searches rejected because the queue was full.",
                .counter(totalRejections)
            ),
        ]
    }
}
