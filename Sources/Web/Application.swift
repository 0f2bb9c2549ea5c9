package import Addresses
import Glibc
package import HTTP
package import Logging
package import Metrics
package import Model
import Routing
package import Sodium
import Time

/// The handler of the server: routes requests, maps errors to responses, and logs each request.
package struct Application: Sendable {
    private let router: Router<Destination>
    private let systems: Set<ServedSystem>
    private let limits: APILimits
    /// The duration from which a request is logged as slow, in µs.
    private let slowMicroseconds: Int64
    private let limiter: RequestLimiter?
    private let proxies: [IPNetwork]
    private let crossOriginPolicy: CrossOriginPolicy
    private let logger: Logger
    private let requestIDs: RequestIDSource
    /// The counters of requests and their durations.
    package let metrics: RequestMetrics

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
        let controllers = Controllers(
            stores: stores,
            passwordHasher: passwordHasher,
            settings: settings,
            limiter: limiter,
            limits: limits
        )
        systems = settings.systems
        proxies = settings.trustedProxies
        let hasMap = settings.map != nil
        router = Routes.router(to: controllers, of: settings.systems, hasMap: hasMap)
        requestIDs = RequestIDSource()
        metrics = RequestMetrics(
            routes: Routes.listing(of: settings.systems, hasMap: hasMap).map { route in
                RequestMetrics.Route(method: route.method.rawValue, pattern: route.pattern)
            }
        )
        self.limits = limits
        slowMicroseconds = Int64(settings.slowMilliseconds) * 1000
        self.logger = logger
    }

    /// Returns the response to a request; never throws, and logs internal errors.
    package func respond(to request: Request) async -> Response {
        let began = MonotonicClock.microseconds()
        let requestID = requestIDs.id(for: request)
        var route: Int?
        let stages = Self.mayWait(request) ? RequestStages() : nil
        var response: Response
        if let stages {
            response = await RequestStages.$current.withValue(stages) {
                await answer(request, requestID: requestID, began: began, route: &route)
            }
        } else {
            response = await answer(request, requestID: requestID, began: began, route: &route)
        }
        complete(&response, of: request, requestID)
        let waited = Self.microseconds(request.turnMilliseconds)
        let microseconds = MonotonicClock.microseconds() - began + waited
        if response.stream != nil {
            recordEnd(of: &response, to: request, route: route, microseconds, requestID: requestID)
            return response
        }
        metrics.record(route: route, status: response.recordedCode, microseconds: microseconds)
        // The histogram shows the server's speed, and not the speed of its clients' networks.
        let total = microseconds + Self.microseconds(request.arrivalMilliseconds)
        if total >= slowMicroseconds {
            logSlow(request, response, total, stages, requestID: requestID)
        }
        log(
            request.method.rawValue,
            request.path,
            response.recordedCode,
            bytes: response.body.count,
            total,
            requestID: requestID
        )
        return response
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
        let (method, path) = (request.method.rawValue, request.path)
        let code = response.recordedCode
        response.streamDidEnd = { end in
            // The histogram shows the server's speed, and a stream can be open for hours.
            metrics.record(route: route, status: code, microseconds: microseconds)
            let total = MonotonicClock.microseconds() - began + arrival
            log(method, path, code, bytes: end.bytes, total, requestID: requestID)
            guard !end.isComplete else { return }
            logger.log(
                .info,
                "a streamed response ended early",
                LogField("path", path),
                LogField("request_id", requestID)
            )
        }
    }

    /// Converts a duration of the server's clock to µs.
    private static func microseconds(_ milliseconds: Int64) -> Int64 {
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
        if isFull { logger.log(.warning, "connection rejected", LogField("cause", message)) }
        let method = request?.method.rawValue ?? "-"
        log(
            method,
            request?.path ?? "-",
            response.recordedCode,
            bytes: response.body.count,
            microseconds,
            requestID: requestID
        )
        return response
    }

    /// Returns the address of the client, also behind a trusted proxy; nil if it is unknown.
    package func clientAddress(of request: Request) -> IPAddress? {
        request.clientAddress(behind: proxies)?.client
    }

    /// Returns whether the response to a request may be a long list.
    package func isList(_ request: Request) -> Bool {
        guard case .found(let destination, _, _) = router.resolve(request.method, request.path)
        else { return false }
        return destination.isList
    }

    /// Returns whether a request may have to wait; reads don't wait.
    private static func mayWait(_ request: Request) -> Bool {
        request.method != .get && request.method != .head
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
    private func errorShape(
        for request: Request,
        _ resolution: Resolution<Destination>
    ) -> ErrorShape {
        switch resolution {
        case .found(let destination, _, _), .methodNotAllowed(_, let destination):
            var call = Call(request: request, path: PathParameters(), limits: limits)
            return destination.handler(for: &call).errorShape
        case .options: return .message
        case .notFound: return Routes.errorShape(ofUnknown: request.path, in: systems)
        }
    }

    @inline(__always)
    private func answer(
        _ request: Request,
        requestID: String,
        began: Int64,
        route: inout Int?
    ) async -> Response {
        var errorShape = ErrorShape.message
        var isNegotiated = false
        do {
            let resolution = router.resolve(request.method, request.path)
            switch resolution {
            case .found(let destination, let parameters, _):
                var call = Call(request: request, path: parameters, limits: limits)
                let handler = destination.handler(for: &call)
                route = destination.index
                errorShape = handler.errorShape
                isNegotiated = destination.isNegotiated && !request.namesJSON
                try limiter?.admit(request, now: began)
                var response = try await handler.action(call)
                ConditionalGet.apply(to: &response, of: request)
                if isNegotiated { response.headers.append("vary", "Accept") }
                return response
            case .options(let allow):
                try limiter?.admit(request, now: began)
                return Response(.noContent, headers: ["allow": allow])
            case .methodNotAllowed(let allow, _):
                errorShape = self.errorShape(for: request, resolution)
                try limiter?.admit(request, now: began)
                throw RequestError.methodNotAllowed(allow: allow)
            case .notFound:
                errorShape = self.errorShape(for: request, resolution)
                try limiter?.admit(request, now: began)
                throw RequestError.notFound
            }
        } catch {
            let answer = ErrorResponse(for: error)
            if let cause = answer.cause {
                logger.log(
                    answer.isTemporary ? .warning : .error,
                    "request failed",
                    LogField("request_id", requestID),
                    LogField("cause", cause)
                )
            }
            if let reason = answer.rejectionReason {
                logger.log(
                    .info,
                    "sign-up rejected",
                    LogField("request_id", requestID),
                    LogField("cause", reason)
                )
            }
            var response = answer.response(in: errorShape)
            if isNegotiated { response.headers.append("vary", "Accept") }
            return response
        }
    }

    /// Logs a slow request with the stages that it waited for.
    private func logSlow(
        _ request: Request,
        _ response: Response,
        _ microseconds: Int64,
        _ stages: RequestStages?,
        requestID: String
    ) {
        func milliseconds(_ stage: RequestStages.Stage) -> String {
            String(Double((stages?[stage] ?? 0) / 100) / 10)
        }
        logger.log(
            .warning,
            "slow request",
            LogField("request_id", requestID),
            LogField("method", request.method.rawValue),
            LogField("path", request.path),
            LogField("status", String(response.recordedCode)),
            LogField("duration_ms", String(Double(microseconds / 100) / 10)),
            LogField("arriving_ms", String(request.arrivalMilliseconds)),
            LogField("turn_ms", String(request.turnMilliseconds)),
            LogField("writer_queue_ms", milliseconds(.writerQueue)),
            LogField("transaction_ms", milliseconds(.transaction)),
            LogField("hashing_queue_ms", milliseconds(.hashingQueue)),
            LogField("hashing_ms", milliseconds(.hashing))
        )
    }

    private func log(
        _ method: String,
        _ path: String,
        _ status: Int,
        bytes: Int,
        _ microseconds: Int64,
        requestID: String
    ) {
        guard logger.writes(.info) else { return }
        logger.log(
            RequestRecord(
                time: .recent(),
                method: method,
                path: path,
                status: status,
                bytes: bytes,
                microseconds: microseconds,
                requestID: requestID
            )
        )
    }
}

extension Response {
    /// The status code for metrics and the log.
    fileprivate var recordedCode: Int { (recordedStatus ?? status).code }
}
