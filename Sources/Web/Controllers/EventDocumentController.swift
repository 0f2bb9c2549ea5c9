import Events
import HTTP
import Model

/// Responds with a single event as a file: a calendar or a GeoJSON feature.
struct EventDocumentController: Sendable {
    let services: Services

    /// Returns an action that responds with the event in this format.
    func show(_ format: EventFormat) -> Action {
        { call in
            let id = try call.id()
            return try await services.response(to: call) { viewer in
                try await services.events.findDated(id, for: viewer)
            } _: { event in
                // Only JSON tells the owner that an event is hidden.
                if event.event.hidden != nil, format != .geojson { throw RequestError.notFound }
                let installation = try await services.installation.uuid()
                guard let body = format.body(of: event, installation: installation) else {
                    throw RequestError.notFound
                }
                return Response(.ok, headers: ["content-type": format.mediaType], body: body)
            }
        }
    }
}
