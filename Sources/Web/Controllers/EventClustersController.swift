import HTTP
import Model
import Time

/// The number of events in each cell of a map.
struct EventClustersController: Sendable {
    private let events: any EventStore
    private let authentication: Authentication
    private let zones: TimeZoneCatalog
    private let openEndHours: Int

    init(
        _ stores: Stores,
        _ authentication: Authentication,
        _ zones: TimeZoneCatalog,
        openEndHours: Int
    ) {
        events = stores.events
        self.authentication = authentication
        self.zones = zones
        self.openEndHours = openEndHours
    }

    func index(_ call: Call) async throws -> Response {
        let query = try EventSearchQuery(call.request, names: EventParameterName.ofClusters)
        let context = EventParameterContext(
            now: .now(),
            zones: zones,
            maximumLimit: 1,
            openEndHours: openEndHours,
            allowsFields: false,
            cursor: { _ in .invalid }
        )
        let (parameters, zoom) = try EventParameters.clusters(
            query.values,
            unknown: query.unknown,
            context
        )
        let user =
            parameters.needsUser
            ? try await authentication.user(of: call.request, acceptsAuthorization: true) : nil
        let clusters = try await events.clusters(
            ClusterQuery(filter: parameters.filter(for: user?.id), zoom: zoom)
        )
        return await ClusterView.body(of: clusters).response(.ofJSON)
    }
}
