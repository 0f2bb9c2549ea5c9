package import HTTP
package import Logging
package import Model
package import Rules
package import Sodium
import System

/// The handler of the server: routes requests, maps errors to responses, and logs each request.
package struct Application: Sendable {
    /// A reference, because the closures of requests copy the application.
    private let sharedServices: LazyValue<Services>
    /// The services of the controllers.
    var services: Services { sharedServices.value }
    private let router: Router
    /// The destinations of the router's routes.
    private let destinations: [Destination]
    private let systems: Set<ServedSystem>
    private let limits: APILimits
    /// The duration from which a request is logged as slow, in µs.
    private let slowMicroseconds: Int64
    private let limiter: RequestLimiter?
    private let proxies: [IPNetwork]
    private let crossOriginPolicy: CrossOriginPolicy
    let logger: Logger
    private let requestIDs: RequestIDSource
    /// The counters of requests and their durations.
    package let metrics: RequestMetrics
    /// The counters of reports by users.
    package let reportMetrics = ReportMetrics(
        reasons: ReportReason.allCases.map(\.rawValue) + [ReportReason.ofBlocks]
    )
    /// The counters of sign-ins with ID tokens.
    package let signInMetrics = SignInMetrics()
    /// The counters of writes with idempotency keys.
    package let writeMetrics = LabelledTotals(
        "humon_idempotency_total",
        "Writes with an Idempotency-Key, by result.",
        "result",
        ["stored", "replayed", "conflict"]
    )
    /// The open streams.
    package let streams: StreamPlaces
    /// The operator's address, which banned users get.
    private let contactEmail: String?

    /// Creates an application with these stores that serves the enabled systems.
    package init(
        stores: Stores,
        passwordHasher: PasswordHasher,
        settings: ApplicationSettings,
        limits: APILimits,
        logger: Logger
    ) {
        limiter = settings.rateLimits.map { rateLimits in
            RequestLimiter(rateLimits, proxies: settings.trustedProxies)
        }
        crossOriginPolicy = CrossOriginPolicy(origins: settings.crossOrigins)
        let services = Services(
            stores: stores,
            passwordHasher: passwordHasher,
            settings: settings,
            limiter: limiter,
            limits: limits,
            reports: ReportNotice(logger: logger, metrics: reportMetrics),
            signInNotice: SignInNotice(logger: logger, metrics: signInMetrics),
            writeMetrics: writeMetrics
        )
        sharedServices = LazyValue { services }
        streams = services.streamPlaces
        contactEmail = settings.contactEmail
        systems = settings.systems
        proxies = settings.trustedProxies
        let endpoints = Routes.endpoints(
            of: settings.systems,
            hasMap: settings.map != nil,
            hasIssuers: settings.verifier != nil
        )
        destinations = endpoints.map { Destination($0[0], $0, services) }
        router = Routes.router(of: endpoints)
        requestIDs = RequestIDSource()
        metrics = RequestMetrics(
            routes: endpoints.map { ($0[0].method.rawValue, $0[0].pattern) }
        )
        self.limits = limits
        slowMicroseconds = Int64(settings.slowMilliseconds) * 1000
        self.logger = logger
    }

    /// The known facts of a request and its response.
    private struct Exchange: Sendable {
        let requestID: String
        /// The start of the request's processing, in µs of the monotonic clock.
        let began = MonotonicClock.microseconds()
        /// Whether the response may be a long list, which waits for its turn.
        var isList = false
        /// The time from the start until a list has its turn, in µs.
        var turn: Int64 = 0
        /// The number of the request's route, or nil if no route matches.
        var route: Int?
        var errorShape = ErrorShape.message
        var isNegotiated = false
        /// Whether the action changes nothing, so that conditions can apply to its response.
        var isRead = false
    }

    /// Responds to a request: at once if memory has the response, and otherwise after some work.
    ///
    /// Never throws, and logs internal errors.
    package func respond(to request: Request) -> EventualResponse {
        var exchange = Exchange(requestID: requestIDs.id(for: request))
        var response: Response
        do {
            let resolution = router.resolve(request.method, request.path)
            switch resolution {
            case .found(let route, let parameters):
                let destination = destinations[route]
                var call = Call(
                    request: request,
                    path: parameters,
                    limits: limits,
                    proxies: proxies
                )
                let handler = destination.handler(for: &call)
                exchange.route = route
                exchange.errorShape = handler.errorShape
                exchange.isNegotiated = destination.isNegotiated && !parameters.namesJSON
                exchange.isRead = destination.isRead
                exchange.isList = destination.isList
                try limiter?.admit(request, now: exchange.began)
                try request.checkBody()
                guard let immediate = try handler.immediateAction?(call) else {
                    let listSize = destination.listSize(for: &call)
                    return .later(listSize: listSize) { [call, exchange] in
                        await respond(to: call, by: handler.action, exchange)
                    }
                }
                response = immediate
                try adapt(&response, to: request, exchange)
            case .options(let allow):
                try limiter?.admit(request, now: exchange.began)
                response = Response(.noContent, headers: ["allow": allow])
            case .methodNotAllowed, .notFound:
                exchange.errorShape = errorShape(for: request, resolution)
                try limiter?.admit(request, now: exchange.began)
                guard case .methodNotAllowed(let allow, _, _) = resolution else {
                    throw RequestError.notFound
                }
                throw RequestError.methodNotAllowed(allow: allow)
            }
        } catch {
            response = failure(error, of: request, exchange)
        }
        finish(&response, to: request, exchange)
        return .now(response)
    }

    /// Responds to a call with an action that may have to wait.
    private func respond(to call: Call, by action: Action, _ exchange: Exchange) async -> Response {
        var exchange = exchange
        if exchange.isList { exchange.turn = MonotonicClock.microseconds() - exchange.began }
        // Reads don't wait.
        let isRead = call.request.method == .get || call.request.method == .head
        let stages = isRead ? nil : RequestStages()
        var response: Response
        do {
            if let stages {
                response = try await RequestStages.$current.withValue(stages) {
                    try await action(call)
                }
            } else {
                response = try await action(call)
            }
            try adapt(&response, to: call.request, exchange)
        } catch {
            response = failure(error, of: call.request, exchange)
        }
        finish(&response, to: call.request, exchange, stages)
        return response
    }

    /// Adapts the response of an action to the headers of its request.
    private func adapt(
        _ response: inout Response,
        to request: Request,
        _ exchange: Exchange
    ) throws(RequestError) {
        // A write is done by now, and its response must say so.
        if exchange.isRead { try Conditions.apply(to: &response, of: request) }
        if exchange.isNegotiated { response.headers.vary(on: "Accept") }
    }

    /// Returns the response for an error, and logs the error if the operator should know it.
    private func failure(
        _ error: any Error,
        of request: Request,
        _ exchange: Exchange
    ) -> Response {
        var answer = ErrorResponse(for: error, contact: contactEmail)
        answer.removeFormAdvice(
            if: request.query?.contains("+") != true
                && (try? Parameters(query: nil, body: request.body, limits: limits))?.isObject
                    == true
        )
        if let cause = answer.cause {
            logger.log(
                answer.isTemporary ? .warning : .error,
                "request failed",
                of: LoggedRequest(id: exchange.requestID, trace: request.traceParent),
                ["cause": cause]
            )
        }
        if let reason = answer.rejectionReason {
            logger.log(
                .info,
                "sign-up rejected",
                of: LoggedRequest(id: exchange.requestID, trace: request.traceParent),
                ["cause": reason]
            )
        }
        var response = answer.response(in: exchange.errorShape)
        if exchange.isNegotiated { response.headers.vary(on: "Accept") }
        return response
    }

    /// Completes a response, and records it in the metrics and the log.
    private func finish(
        _ response: inout Response,
        to request: Request,
        _ exchange: Exchange,
        _ stages: RequestStages? = nil
    ) {
        let (requestID, route) = (exchange.requestID, exchange.route)
        complete(&response, of: request, requestID)
        let microseconds = MonotonicClock.microseconds() - exchange.began
        if response.stream != nil {
            recordEnd(of: &response, to: request, route: route, microseconds, requestID: requestID)
            return
        }
        metrics.record(route: route, status: response.recordedCode, microseconds: microseconds)
        // The histogram shows the server's speed, and not the speed of its clients' networks.
        let total = microseconds + Self.microseconds(request.arrivalMilliseconds)
        if total >= slowMicroseconds {
            logSlow(request, response, total, turn: exchange.turn, stages, requestID: requestID)
        }
        let (code, bytes) = (response.recordedCode, response.body.count)
        log(request, code, bytes: bytes, total, requestID)
    }

    /// Records a streamed response in the metrics and the log when its stream ends.
    ///
    /// - Parameters:
    ///   - response: The response, which is complete except for its body.
    ///   - request: The request.
    ///   - route: The index of the request's route, or nil if no route matches.
    ///   - microseconds: The time that the application needed for the response.
    ///   - requestID: The request's id for the log.
    package func recordEnd(
        of response: inout Response,
        to request: Request,
        route: Int?,
        _ microseconds: Int64,
        requestID: String
    ) {
        let began = MonotonicClock.microseconds() - microseconds
        let arrival = Self.microseconds(request.arrivalMilliseconds)
        let (method, path, code) = (request.method, request.path, response.recordedCode)
        // Both lines have this level.
        let trace = logger.writes(.info) ? request.traceParent : nil
        response.streamDidEnd = { end in
            // The histogram shows the server's speed, and a stream can be open for hours.
            metrics.record(route: route, status: code, microseconds: microseconds)
            let total = MonotonicClock.microseconds() - began + arrival
            log(method, path, code, bytes: end.bytes, total, requestID, trace)
            guard !end.isComplete else { return }
            logger.log(
                .info,
                "a streamed response ended early",
                of: LoggedRequest(id: requestID, trace: trace),
                ["path": path]
            )
        }
    }

    /// Converts a duration of the server's clock to µs.
    static func microseconds(_ milliseconds: Int64) -> Int64 {
        // Timeouts of at most an hour end longer requests.
        max(0, min(milliseconds, 86_400_000)) * 1000
    }

    /// Returns the response to bytes that are not a valid request, in the error format of their
    /// path.
    ///
    /// If nothing was received and the server has no room for another client, the response has no
    /// body. Some apps treat any body as data, and this is the only such response that working apps
    /// get.
    package func refuse(_ status: Status, _ message: String, of request: Request?) -> Response {
        let began = MonotonicClock.microseconds()
        let requestID = request.map(requestIDs.id) ?? requestIDs.next()
        let isFull = request == nil && status == .serviceUnavailable
        let shape = request.map(errorShape) ?? (isFull ? .empty : .message)
        var response = ErrorResponse(status, message).response(in: shape)
        if status == .serviceUnavailable { response.headers.append("retry-after", "1") }
        complete(&response, of: request, requestID)
        let microseconds = MonotonicClock.microseconds() - began
        metrics.record(route: nil, status: status.code, microseconds: microseconds)
        if isFull { logger.log(.warning, "connection rejected", ["cause": message]) }
        let (code, bytes) = (response.recordedCode, response.body.count)
        log(request, code, bytes: bytes, microseconds, requestID)
        return response
    }

    /// Returns the address of the client, also behind a trusted proxy; nil if it is unknown.
    package func clientAddress(of request: Request) -> IPAddress? {
        request.clientAddress(behind: proxies)?.client
    }

    /// Adds the headers that every response has.
    private func complete(_ response: inout Response, of request: Request?, _ requestID: String) {
        if response.headers["cache-control"] == nil {
            // A response with an entity tag may be stored, but must be revalidated each time.
            let isTagged =
                response.headers["etag"] != nil && response.status != .preconditionFailed
            response.headers.append(
                "cache-control",
                isTagged ? "max-age=0, private, must-revalidate" : "no-store"
            )
        }
        response.headers.append("x-request-id", requestID)
        if let request { crossOriginPolicy.apply(to: &response, of: request) }
    }

    /// Returns the error format of the system that a request's path belongs to.
    private func errorShape(for request: Request) -> ErrorShape {
        errorShape(for: request, router.resolve(request.method, request.path))
    }

    /// Returns the error format of the system that a request was resolved to.
    private func errorShape(for request: Request, _ resolution: Resolution) -> ErrorShape {
        switch resolution {
        case .found(let route, let parameters), .methodNotAllowed(_, let route, let parameters):
            var call = Call(request: request, path: parameters, limits: limits, proxies: proxies)
            let shape = destinations[route].handler(for: &call).errorShape
            if case .found = resolution { return shape }
            return shape.ofUnsupportedMethod
        case .options: return .message
        case .notFound: return Routes.errorShape(ofUnknown: request.path, in: systems)
        }
    }
}

extension Response {
    /// The status code for metrics and the log.
    var recordedCode: Int { (recordedStatus ?? status).code }
}
