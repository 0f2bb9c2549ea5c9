import Events
import HTTP
import JSON
import Model
import Rules

/// The events near a point, nearest first.
struct NearestsController: Controller {
    let services: Services

    func index(_ call: Call) async throws -> Response {
        let parameters = try call.parameters()
        let query = try NearestQuery(
            latitude: parameters["lat"],
            longitude: parameters["lon"],
            radius: parameters["radius"],
            limit: parameters["limit"],
            maximumLimit: services.limits.results
        )
        var search = EventQuery(nearestTo: query.origin, within: query.radius, limit: query.limit)
        search.filter.viewer.token =
            services.authentication.viewerToken(of: call.request)?.bytes
        let page = try await services.events.page(search)
        // The app understands an object as "nothing found", and crashes on an empty array.
        if page.rows.isEmpty { return .object(.ok) { $0.field("message", "No Events Found") } }
        return await ListBody.json(page.rows) { row, json in json.encoded(row.json.span) }
            .response(.ofJSON)
    }
}
