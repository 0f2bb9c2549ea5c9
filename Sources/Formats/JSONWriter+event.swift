package import JSON
package import Model

extension JSONWriter {
    /// Writes an event as the API and exports represent it; omits `id` if it is nil.
    package mutating func event(id: Int64?, ownerID: Int64, _ attributes: EventAttributes) {
        object { fields in
            fields.field("address", attributes.address)
            fields.field("ended_at", attributes.endedAt)
            if let id { fields.field("id", id) }
            fields.field("lat", attributes.coordinate.latitude)
            fields.field("lon", attributes.coordinate.longitude)
            fields.field("name", attributes.name)
            fields.field("started_at", attributes.startedAt)
            fields.object("owner") { owner in owner.field("id", ownerID) }
        }
    }
}
