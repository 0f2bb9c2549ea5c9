import HTTP
import JSON
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

    private static let usualBytes = 512

    private static func body(of clusters: [EventCluster]) -> ListBody {
        .json(
            clusters,
            capacity: clusters.count * usualBytes,
            in: { json, list in
                json.object { body in
                    body.key("clusters")
                    list(&body)
                }
            }
        ) { cluster, json in
            json.object { fields in
                fields.field("count", cluster.count)
                fields.field("lat", cluster.latitude)
                fields.field("lon", cluster.longitude)
                fields.key("event")
                fields.encoded(cluster.event.json.span)
            }
        }
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
        return await Self.body(of: clusters).response(.ofJSON)
    }
}
