import HTTP
import Model

/// Responds with a single event as a file: a calendar or a GeoJSON feature.
struct EventDocumentController: Sendable {
    private let events: any EventStore
    private let installation: any InstallationStore

    init(_ stores: Stores) {
        events = stores.events
        installation = stores.installation
    }

    /// Returns an action that responds with the event in this format.
    func show(_ format: EventFormat) -> Action {
        { call in
            guard let event = try await events.findDated(call.id()),
                let body = format.body(of: event, installation: try await installation.uuid())
            else { throw RequestError.notFound }
            var headers = Headers()
            headers.append("content-type", format.mediaType)
            return Response(.ok, headers: headers, body: body)
        }
    }
}
