import HTTP
import Model

/// The events near a point, nearest first.
struct NearestsController: Sendable {
    let events: any EventStore
    let view: EventView
    let maximumLimit: Int

    func index(_ call: Call) async throws -> Response {
        let parameters = try call.parameters()
        let query = try NearestQuery(
            latitude: parameters["lat"],
            longitude: parameters["lon"],
            radius: parameters["radius"],
            limit: parameters["limit"],
            maximumLimit: maximumLimit
        )
        let events = try await events.nearest(
            to: query.origin,
            within: query.radius,
            limit: query.limit
        )
        // The app understands an object as "nothing found", and crashes on an empty array.
        return events.isEmpty
            ? MessageView.response("No Events Found") : view.response(events)
    }
}
