package import JSON
package import Model
import Time

/// A column of a CSV file of events, in the order of exports.
package enum EventFileColumn: String, CaseIterable, Sendable {
    case id, owner, name, address, lat, lon
    case startedAt = "started_at"
    case endedAt = "ended_at"

    /// The columns that are also properties of a GeoJSON feature, in the order of exports.
    package static let properties: [EventFileColumn] = [.name, .address, .startedAt, .endedAt, .owner]

    /// Returns the text of the event's cell, or nil if the value is null.
    package func cell(of event: EventRecord) -> String? {
        let attributes = event.attributes
        return switch self {
        case .id: event.id.map { String($0) }
        case .owner: String(event.ownerID)
        case .name: FormulaGuard.guarded(attributes.name)
        case .address: attributes.address.map(FormulaGuard.guarded)
        case .lat: String(attributes.coordinate.latitude)
        case .lon: String(attributes.coordinate.longitude)
        case .startedAt: attributes.startedAt.text
        case .endedAt: attributes.endedAt?.text
        }
    }
}

extension JSONWriter {
    /// Writes an event's value of a column as a JSON member, in the format of the API and exports.
    package mutating func field(_ column: EventFileColumn, of event: EventRecord) {
        let attributes = event.attributes
        switch column {
        case .id: field("id", event.id)
        case .owner: object("owner") { $0.field("id", event.ownerID) }
        case .name: field("name", attributes.name)
        case .address: field("address", attributes.address)
        case .lat: field("lat", attributes.coordinate.latitude)
        case .lon: field("lon", attributes.coordinate.longitude)
        case .startedAt: field("started_at", attributes.startedAt)
        case .endedAt: field("ended_at", attributes.endedAt)
        }
    }

    /// Writes an event as a Point feature (RFC 7946, section 3.2).
    ///
    /// The closure writes the members of `properties`. A nil id is omitted.
    package mutating func feature(
        _ event: EventRecord,
        properties: (inout JSONWriter) -> Void
    ) {
        let coordinate = event.attributes.coordinate
        object {
            $0.field("type", "Feature")
            if let id = event.id { $0.field("id", id) }
            $0.object("geometry") {
                $0.field("type", "Point")
                $0.array("coordinates", [coordinate.longitude, coordinate.latitude]) {
                    $0.value($1)
                }
            }
            $0.object("properties", properties)
        }
    }
}
