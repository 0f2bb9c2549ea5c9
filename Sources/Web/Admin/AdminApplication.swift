package import HTTP
import JSON
package import Logging

/// The handler of the admin port: health checks and metrics.
package struct AdminApplication: Sendable {
    private typealias Action = @Sendable () async -> Response

    private let router: Router
    /// The actions of the router's routes.
    private let actions: [Action]

    /// Creates the handler.
    ///
    /// - Parameters:
    ///   - readiness: Checks within a few seconds whether the server can work.
    ///   - measure: Appends all metrics.
    package init(
        readiness: @escaping @Sendable () async -> [ReadinessCheck],
        measure: @escaping @Sendable (inout MetricsText) async -> Void
    ) {
        let table: [(path: String, action: Action)] = [
            ("/healthz", { HealthView.response([]) }),
            ("/readyz", { HealthView.response(await readiness()) }),
            (
                "/metrics",
                {
                    var text = MetricsText()
                    await measure(&text)
                    let type = "text/plain; version=0.0.4; charset=utf-8"
                    return Response(.ok, headers: ["content-type": type], body: text.bytes)
                }
            ),
        ]
        var router = Router()
        for (path, _) in table { router.on(.get, path) }
        self.router = router
        actions = table.map(\.action)
    }

    /// Returns the response to a request; never throws.
    package func respond(to request: Request) async -> Response {
        switch router.resolve(request.method, request.path) {
        case .found(let route, _):
            var response = await actions[route]()
            response.headers.append("cache-control", "no-store")
            return response
        case .options(let allow): return Response(.noContent, headers: ["allow": allow])
        case .methodNotAllowed(let allow, _, _):
            return ErrorResponse(for: RequestError.methodNotAllowed(allow: allow))
                .response(in: .message)
        case .notFound: return ErrorResponse(for: RequestError.notFound).response(in: .message)
        }
    }

    /// Returns the response to bytes that are not a valid request.
    package func refuse(_ status: Status, _ message: String) -> Response {
        ErrorResponse(status, message).response(in: .message)
    }
}
