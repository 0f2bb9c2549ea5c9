import HTTP
import Dispatch
import HTTPServer
import System

/// Answers by path, and holds answers back until the test lets them go.
final class StubService: Sendable {
    private struct State {
        var isOpen = false
        var waiting: [CheckedContinuation<Void, Never>] = []
        var paths: [String] = []
        var streams: [String: StubStream] = [:]
    }

    private let state = Mutex(State())
    private let arrivals = DispatchSemaphore(value: 0)
    private let blockade = DispatchSemaphore(value: 0)

    var service: Service {
        Service(
            respond: { request in
                let sizes = ["/large": Int.max, "/short": 100_000]
                return .later(listSize: sizes[request.path]) { await self.respond(to: request) }
            },
            refuse: { status, message, _ in Response(status, body: Array(message.utf8)) },
            clientAddress: { request in request.headers["x-client"].flatMap(IPAddress.init) }
        )
    }

    /// The paths of all requests, in the order in which their answers were begun.
    var paths: [String] { state.withLock { $0.paths } }

    /// Answers requests for this path with a stream, which can be sent once.
    func serve(_ stream: StubStream, at path: String = "/stream") {
        state.withLock { $0.streams[path] = stream }
    }

    /// Blocks until a request has come to where it waits.
    func awaitArrival() {
        arrivals.wait()
    }

    /// Lets the requests for `/wait` go on, also those to come.
    func open() {
        let waiting = state.withLock { state in
            state.isOpen = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Lets a request for `/block` go on, and with it the loop that it holds up.
    func unblock() {
        blockade.signal()
    }

    /// The answer to a request, once the test lets it go.
    func respond(to request: Request) async -> Response {
        let stream = state.withLock { state in
            state.paths.append(request.path)
            return state.streams.removeValue(forKey: request.path)
        }
        if request.path == "/wait" || request.query == "wait" { await waitUntilOpen() }
        if let stream {
            var response = Response(request.query == "nothing" ? .noContent : .ok)
            response.stream = stream
            stream.observe(&response)
            return response
        }
        switch request.path {
        case "/block":
            arrivals.signal()
            holdUp()
        case "/large", "/big":
            let count = request.query.flatMap { Int($0) } ?? 0
            return Response(.ok, body: [UInt8](repeating: UInt8(ascii: "x"), count: count))
        case "/shed":
            var response = Response(.serviceUnavailable)
            response.isShed = true
            return response
        case "/nothing":
            return Response(.noContent)
        default: break
        }
        let body = String(decoding: request.body, as: UTF8.self)
        return Response(.ok, body: Array("\(request.method.rawValue) \(request.path) \(body)".utf8))
    }

    private func waitUntilOpen() async {
        await withCheckedContinuation { continuation in
            let mustWait = state.withLock { state in
                if !state.isOpen { state.waiting.append(continuation) }
                return !state.isOpen
            }
            arrivals.signal()
            if !mustWait { continuation.resume() }
        }
    }

    private func holdUp() {
        blockade.wait()
    }
}
