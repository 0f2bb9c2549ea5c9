import HTTP
import Model

/// The events near a point, nearest first.
struct NearestsController: Sendable {
    let events: any EventStore
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
        let list = try await events.nearestList(
            to: query.origin,
            within: query.radius,
            limit: query.limit
        )
        // The app understands an object as "nothing found", and crashes on an empty array.
        return list.count == 0
            ? MessageView.response("No Events Found") : .json(.ok, body: list.bytes)
    }
}
