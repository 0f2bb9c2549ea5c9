package import HTTP
import Logging
import Model

/// The handler of the admin port: the admin page and its API, health checks and metrics.
package struct AdminApplication: Sendable {
    private let router: Router
    /// The routes, by the router's numbers.
    private let routes: [AdminRoute]
    private let services: AdminServices
    private let contentSecurityPolicy: String

    /// Creates the handler beside an application, with the same stores.
    package init(
        beside application: Application,
        _ surroundings: AdminSurroundings,
        version: String
    ) {
        services = AdminServices(
            api: application.services,
            surroundings: surroundings,
            version: version,
            logger: application.logger
        )
        contentSecurityPolicy = AdminPage.policy(application.services.settings.map ?? MapSettings())
        routes = AdminRoutes.probes(surroundings) + AdminRoutes.all
        var router = Router()
        for route in routes { router.on(route.method, route.pattern, acceptsSuffix: false) }
        self.router = router
    }

    /// The number of passwords of admins that were checked.
    package var totalHashes: Int { services.signIns.totalHashes }

    /// Ends the threads of the handler; blocks until then.
    package func stop() {
        services.signIns.stop()
    }

    /// Returns the response to a request; never throws.
    package func respond(to request: Request) async -> Response {
        let resolution = router.resolve(request.method, request.path)
        let isProbe = isProbe(resolution)
        var response: Response
        do {
            if !isProbe { try checkOrigin(of: request) }
            response = try await self.response(to: request, resolution)
        } catch {
            response = failure(error, request)
        }
        complete(&response, ofProbe: isProbe)
        return response
    }

    /// Returns the response to bytes that are not a valid request.
    package func refuse(_ status: Status, _ message: String) -> Response {
        var response = ErrorResponse(status, message).response(in: .message)
        complete(&response, ofProbe: false)
        return response
    }

    private func isProbe(_ resolution: Resolution) -> Bool {
        switch resolution {
        case .found(let route, _), .methodNotAllowed(_, let route, _): routes[route].isProbe
        case .options, .notFound: false
        }
    }

    /// Throws unless the host is this machine or one that the operator has named, which needs
    /// HTTPS.
    ///
    /// A page of another site could reach this port under a host name of its own (DNS rebinding).
    private func checkOrigin(of request: Request) throws(RequestError) {
        let host = (request.headers["host"] ?? "").lowercased()
        let name = host.hasPrefix("[") ? host.prefix { $0 != "]" } + "]" : host.prefix { $0 != ":" }
        if ["localhost", "127.0.0.1", "[::1]"].contains(name) { return }
        guard services.surroundings.hosts.contains(String(name)) else { throw .unknownHost }
        guard request.isSecure(behind: services.settings.trustedProxies) else {
            let port = services.surroundings.port
            throw .httpsRequired(
                "Use HTTPS or an SSH tunnel: ssh -L \(port):localhost:\(port) HOST"
            )
        }
    }

    private func response(
        to request: Request,
        _ resolution: Resolution
    ) async throws -> Response {
        switch resolution {
        case .found(let number, let parameters):
            let call = Call(
                request: request,
                path: parameters,
                limits: services.limits,
                proxies: services.settings.trustedProxies
            )
            switch routes[number].handler {
            case .probe(let respond): return await respond()
            case .open(let action):
                try checkBody(of: request)
                return try await action(services)(call)
            case .admin(let action):
                let admin = try await admin(of: request)
                try checkBody(of: request)
                return try await action(services)(AdminCall(call: call, admin: admin))
            }
        case .options(let allow): return Response(.noContent, headers: ["allow": allow])
        case .methodNotAllowed(let allow, _, _):
            throw RequestError.methodNotAllowed(allow: allow)
        case .notFound: throw RequestError.notFound
        }
    }

    /// Returns the admin with the request's token, or throws `RequestError.adminUnauthorized`.
    private func admin(of request: Request) async throws -> Admin {
        guard let token = try AdminSessionsController.token(of: request),
            let admin = try await services.admins.admin(with: TokenDigest(of: token))
        else { throw RequestError.adminUnauthorized }
        return admin
    }

    /// Throws if the body is neither empty nor JSON.
    private func checkBody(of request: Request) throws(RequestError) {
        guard !request.body.isEmpty else { return }
        let type = (request.headers["content-type"] ?? "").prefix { $0 != ";" }
        guard type.filter({ $0 != " " }).lowercased() == "application/json" else {
            throw .jsonRequired
        }
        try request.checkBody()
    }

    private func failure(_ error: any Error, _ request: Request) -> Response {
        var failure = ErrorResponse(for: error)
        failure.removeFormAdvice(if: true)
        if let cause = failure.cause {
            services.logger.log(
                failure.isTemporary ? .warning : .error,
                "admin request failed",
                ["method": request.method.rawValue, "path": request.path, "cause": cause]
            )
        }
        return failure.response(in: .message)
    }

    /// Adds the headers that every response has.
    private func complete(_ response: inout Response, ofProbe isProbe: Bool) {
        response.headers.append("cache-control", "no-store")
        if isProbe { return }
        response.headers.append("referrer-policy", "no-referrer")
        response.headers.append("cross-origin-opener-policy", "same-origin")
        response.headers.append("cross-origin-resource-policy", "same-origin")
        response.headers.append("content-security-policy", contentSecurityPolicy)
    }
}
