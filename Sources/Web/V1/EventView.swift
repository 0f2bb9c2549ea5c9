import Formats
import HTTP
import JSON
import Model

/// Events in the format of the apps.
struct EventView: Sendable {
    let renderings: EventRenderings

    func response(_ event: Event) -> Response {
        .json(.ok, body: renderings.json(of: event, render: Self.json))
    }

    /// Returns the events as an array without an enclosing object.
    func response(_ events: [Event]) -> Response {
        .json(.ok, capacity: Self.capacity(for: events)) { json in
            json.array { elements in
                renderings.forEach(events, render: Self.json) { elements.encoded($0) }
            }
        }
    }

    /// Returns the entity tag of the response with this event.
    static func etag(of event: Event) -> String {
        ETag.make(for: json(event).span)
    }

    /// The size of a typical event, so that most responses are written without growing the buffer.
    private static let usualBytes = 288
    /// The number of events in a typical list.
    private static let usualCount = 64

    private static func json(_ event: Event) -> [UInt8] {
        var writer = JSONWriter(capacity: usualBytes)
        writer.event(id: event.id, ownerID: event.ownerID, event.attributes)
        return writer.bytes
    }

    /// Returns the space for a list, which includes the texts of long lists.
    ///
    /// A long list whose buffer grows would take three times its memory.
    private static func capacity(for events: [Event]) -> Int {
        guard events.count > usualCount else { return events.count * usualBytes }
        return events.reduce(0) { sum, event in
            let attributes = event.attributes
            let text = attributes.name.utf8.count + (attributes.address?.utf8.count ?? 0)
            return sum + usualBytes + text
        }
    }
}
