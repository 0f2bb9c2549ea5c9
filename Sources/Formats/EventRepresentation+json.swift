package import Events
import JSON
import Model

extension EventRepresentation {
    /// JSON.
    package static let json = EventRepresentation(
        event: { event in
            var writer = JSONWriter(capacity: usualBytes)
            writer.event(EventRecord(event))
            return writer.bytes
        }
    )

    /// The size of a typical event, so that most events are written without growing the buffer.
    private static let usualBytes = 288
}
