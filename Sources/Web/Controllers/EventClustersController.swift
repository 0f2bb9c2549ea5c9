import Events
import HTTP
import Model

/// The number of events in each cell of a map.
struct EventClustersController: Controller {
    let services: Services

    func index(_ call: Call) async throws -> Response {
        let query = try EventSearchQuery(call.request, names: EventParameterName.ofClusters)
        let context = services.parameterContext(maximumLimit: 1)
        let (parameters, zoom) = try EventParameters.clusters(
            query.values,
            unknown: query.unknown,
            context
        )
        let user =
            parameters.needsUser
            ? try await services.authentication.user(of: call.request, acceptsAuthorization: true)
            : nil
        let viewer = EventViewer(
            userID: user?.id,
            token: services.authentication.viewerToken(of: call.request)?.bytes,
            seesHidden: true
        )
        let clusters = try await services.events.clusters(
            ClusterQuery(filter: parameters.filter(for: viewer), zoom: zoom)
        )
        var response = await ClusterView.body(of: clusters).response(.ofJSON)
        if user != nil { response.headers.vary(on: Authentication.viewerFields) }
        return response
    }
}
