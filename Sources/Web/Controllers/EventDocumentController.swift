import HTTP
import Model

/// Responds with a single event as a file: a calendar or a GeoJSON feature.
struct EventDocumentController: Sendable {
    let services: Services

    /// Returns an action that responds with the event in this format.
    func show(_ format: EventFormat) -> Action {
        { call in
            guard let event = try await services.events.findDated(call.id()),
                let body = format.body(
                    of: event,
                    installation: try await services.installation.uuid()
                )
            else { throw RequestError.notFound }
            var headers = Headers()
            headers.append("content-type", format.mediaType)
            return Response(.ok, headers: headers, body: body)
        }
    }
}
