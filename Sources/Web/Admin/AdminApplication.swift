package import HTTP
import JSON
package import Metrics
import Routing

/// Answers those who look after the server, on a port of its own.
package struct AdminApplication: Sendable {
    private typealias Action = @Sendable () async -> Response

    private let router: Router<Action>

    /// - Parameters:
    ///   - readiness: Looks whether the server can do its work; within a few seconds.
    ///   - measure: Appends all measurements.
    package init(
        readiness: @escaping @Sendable () async -> [ReadinessCheck],
        measure: @escaping @Sendable (inout MetricsText) -> Void
    ) {
        var router = Router<Action>()
        router.on(.get, "/healthz") { HealthView.response([]) }
        router.on(.get, "/readyz") { HealthView.response(await readiness()) }
        router.on(.get, "/metrics") {
            var text = MetricsText()
            measure(&text)
            let type = "text/plain; version=0.0.4; charset=utf-8"
            return Response(.ok, headers: ["content-type": type], body: text.bytes)
        }
        self.router = router
    }

    /// The answer to a request; never throws.
    package func respond(to request: Request) async -> Response {
        switch router.resolve(request.method, request.path) {
        case .found(let action, _, _):
            var response = await action()
            response.headers.append("cache-control", "no-store")
            return response
        case .options(let allow): return Response(.noContent, headers: ["allow": allow])
        case .methodNotAllowed(let allow, _):
            return ErrorResponse(for: RequestError.methodNotAllowed(allow: allow))
                .response(in: .message)
        case .notFound: return ErrorResponse(for: RequestError.notFound).response(in: .message)
        }
    }

    /// The answer to bytes that are no acceptable request.
    package func refuse(_ status: Status, _ message: String) -> Response {
        ErrorResponse(status, message).response(in: .message)
    }
}

/// Whether one thing that the server needs is as it should be.
package struct ReadinessCheck: Sendable {
    /// Such as `database`.
    let name: String
    /// What is wrong, for the operator; nil if nothing is.
    let problem: String?

    package init(_ name: String, problem: String?) {
        self.name = name
        self.problem = problem
    }
}
