import HTTP
import Model

/// The events near a point, nearest first.
struct NearestsController: Sendable {
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
        let page = try await services.events.page(
            EventQuery(nearestTo: query.origin, within: query.radius, limit: query.limit)
        )
        // The app understands an object as "nothing found", and crashes on an empty array.
        return page.rows.isEmpty
            ? MessageView.response("No Events Found") : .json(.ok, body: Self.body(of: page.rows))
    }

    /// Returns the array of events.
    private static func body(of rows: [FoundEvent]) -> [UInt8] {
        var body: [UInt8] = []
        let contents = rows.map(\.json)
        body.reserveCapacity(contents.reduce(1) { $0 + $1.count + 1 })
        body.append(UInt8(ascii: "["))
        for (index, content) in contents.enumerated() {
            if index > 0 { body.append(UInt8(ascii: ",")) }
            body += content
        }
        body.append(UInt8(ascii: "]"))
        return body
    }
}
