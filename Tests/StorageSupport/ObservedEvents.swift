package import Model
import System

/// What a storage has reported.
package final class ObservedEvents: Sendable {
    private let events = Mutex<[StorageEvent]>([])

    package init() {}

    package var all: [StorageEvent] { events.withLock { $0 } }

    package func note(_ event: StorageEvent) { events.withLock { $0.append(event) } }
}

extension Storage {
    /// The memory of the events in bytes.
    package var eventBytes: Int {
        for measurement in measurements where measurement.name == "humon_event_index_bytes" {
            if case .gauge(let bytes) = measurement.value { return bytes }
        }
        return -1
    }
}
