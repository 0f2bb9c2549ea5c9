package import HTTP
package import Logging
import Time

/// The lines that requests leave in the log.
extension Application {
    /// Logs a slow request with the times that add up to its duration.
    package func logSlow(
        _ request: Request,
        _ response: Response,
        _ microseconds: Int64,
        turn: Int64,
        _ stages: RequestStages?,
        requestID: String
    ) {
        func milliseconds(_ microseconds: Int64) -> String {
            String(Double(microseconds / 100) / 10)
        }
        let rendering = response.rendering
        let waits = RequestStages.Stage.allCases.map { stages?[$0] ?? 0 }.reduce(0, +)
        let before = Self.microseconds(request.arrivalMilliseconds) + turn
        let handler = microseconds - before - waits - rendering.work - rendering.pauses
        logger.log(
            .warning,
            "slow request",
            of: LoggedRequest(id: requestID, trace: request.traceParent),
            [
                "method": request.method.rawValue, "path": request.path,
                "status": String(response.recordedCode), "duration_ms": milliseconds(microseconds),
                "arriving_ms": String(request.arrivalMilliseconds), "turn_ms": String(turn / 1000),
                "handler_ms": milliseconds(max(0, handler)),
                "rendering_ms": milliseconds(rendering.work),
                "paused_ms": milliseconds(rendering.pauses),
                "writer_queue_ms": milliseconds(stages?[.writerQueue] ?? 0),
                "transaction_ms": milliseconds(stages?[.transaction] ?? 0),
                "hashing_queue_ms": milliseconds(stages?[.hashingQueue] ?? 0),
                "hashing_ms": milliseconds(stages?[.hashing] ?? 0),
            ]
        )
    }

    /// Logs a request, nil if its bytes were no request.
    func log(
        _ request: Request?,
        _ code: Int,
        bytes: Int,
        _ microseconds: Int64,
        _ requestID: String
    ) {
        let (method, path) = (request?.method, request?.path)
        log(method, path, code, bytes: bytes, microseconds, requestID, request?.traceParent)
    }

    /// Logs a request of which these facts are known; reads the trace only to write a line.
    func log(
        _ method: HTTP.Method?,
        _ path: String?,
        _ code: Int,
        bytes: Int,
        _ microseconds: Int64,
        _ requestID: String,
        _ trace: @autoclosure () -> TraceParent?
    ) {
        guard logger.writes(.info) else { return }
        logger.log(
            RequestRecord(
                time: .recent(),
                method: method?.rawValue ?? "-",
                path: path ?? "-",
                status: code,
                bytes: bytes,
                microseconds: microseconds,
                requestID: requestID,
                trace: trace()
            )
        )
    }
}

extension Request {
    /// The ids of its only `traceparent` header, or nil if it has none that is valid; O(n).
    var traceParent: TraceParent? {
        headers.list("traceparent").flatMap { TraceParent($0) }
    }
}
