import Glibc
import HTTP
import JSON
import Randomness
import System

/// The proxy, with its orders and its records.
final class Proxy: Sendable {
    /// A request that was received.
    private final class Record: Sendable {
        let request: Request
        let fault: String
        let outcome = Mutex<(isForwarded: Bool, status: Int?)>((false, nil))

        init(_ request: Request, _ fault: String) {
            (self.request, self.fault) = (request, fault)
        }
    }

    private struct State {
        var target: String
        var generator: SeededGenerator
        var faults: [Fault] = []
        var percent = 0
        var requests: [Record] = []
        var others: [Record] = []
    }

    private let otherURL: String
    private let state: Mutex<State>

    init(target: String, otherURL: String, seed: UInt64) {
        self.otherURL = otherURL
        state = Mutex(State(target: target, generator: SeededGenerator(seed: seed)))
    }

    /// Applies the next fault to a request; returns whether the connection stays open.
    func respond(to request: Request, on client: Wire) -> Bool {
        let (fault, record, target) = take(request)
        if let response = fault.response(redirectingTo: otherURL + request.target) {
            return client.send(response, to: request)
        }
        if fault.name == "drop-before" { return false }
        if fault.name == "delay" { usleep(UInt32(fault.number) * 1000) }
        if fault.name == "double" {
            _ = forward(record, to: target)?.relay(to: client) { _ in true }
        }
        guard let reply = forward(record, to: target) else { return false }
        if fault.name == "delay-after" { usleep(UInt32(fault.number) * 1000) }
        return relay(reply, to: client, fault)
    }

    private func take(_ request: Request) -> (fault: Fault, record: Record, target: String) {
        state.withLock { state in
            var fault = Fault()
            let method = state.faults.first?.method ?? request.method.rawValue
            if !state.faults.isEmpty, method == request.method.rawValue {
                fault = state.faults.removeFirst()
            } else if state.percent > 0,
                Int.random(in: 0..<100, using: &state.generator) < state.percent
            {
                fault = Fault.random(using: &state.generator)
            }
            let record = Record(request, fault.text)
            state.requests.append(record)
            return (fault, record, state.target)
        }
    }

    private func forward(_ record: Record, to target: String) -> Reply? {
        guard let server = Wire(target) else { return nil }
        record.outcome.withLock { $0.isForwarded = true }
        let reply = Reply(to: record.request, from: server)
        record.outcome.withLock { $0.status = reply?.status }
        return reply
    }

    private func relay(_ reply: Reply, to client: Wire, _ fault: Fault) -> Bool {
        switch fault.name {
        case "drop-after":
            return reply.relay(to: client) { _ in true } && false
        case "cut", "trickle-stall":
            var rest = fault.number
            _ = reply.relay(to: client) { bytes in
                let part = bytes.prefix(rest)
                rest -= part.count
                return client.send(part) && rest > 0
            }
            if fault.name == "trickle-stall" { _ = client.receive() }
            return false
        case "trickle":
            let end = MonotonicClock.milliseconds() + 2000
            return reply.relay(to: client) { bytes in
                var rest = bytes
                while MonotonicClock.milliseconds() < end, let byte = rest.popFirst() {
                    guard client.send([byte]) else { return false }
                    usleep(1000)
                }
                return client.send(rest)
            }
        default:
            return reply.relay(to: client) { client.send($0) } && fault.name != "close-idle"
        }
    }

    /// Records a request to the other host, and returns an empty object.
    func respondAsOther(to request: Request) -> Response {
        state.withLock { $0.others.append(Record(request, "")) }
        return .json(.ok) { _ in }
    }

    /// Obeys an order of the tests, or returns the records.
    func obey(_ request: Request) -> Response {
        let body = String(decoding: request.body, as: UTF8.self)
        switch (request.method, request.path) {
        case (.post, "/faults"):
            let lines = body.split(whereSeparator: \.isNewline)
            let faults = lines.compactMap { Fault($0) }
            guard faults.count == lines.count else { return Self.malformed }
            state.withLock { $0.faults = faults }
        case (.post, "/random"):
            guard let text = request.query?.split(separator: "percent=").first,
                let percent = Int(text)
            else { return Self.malformed }
            state.withLock { $0.percent = percent }
        case (.post, "/target"):
            state.withLock { $0.target = body.filter { !$0.isWhitespace } }
        case (.delete, "/requests"):
            state.withLock { ($0.requests, $0.others) = ([], []) }
        case (.get, "/requests"):
            let (requests, others) = state.withLock { ($0.requests, $0.others) }
            return .json(.ok) {
                $0.array("requests", requests, Self.write)
                $0.array("other", others, Self.write)
            }
        default:
            return Self.malformed
        }
        return .json(.ok) { _ in }
    }

    private static let malformed = Response.json(.badRequest) {
        $0.field("message", "No such order, or a malformed one")
    }

    /// Writes a record; of those at the other host, all headers and nothing about faults.
    private static func write(_ json: inout JSONWriter, _ record: Record) {
        let recorded = [
            "tb-auth-token", "idempotency-key", "if-match", "if-none-match", "traceparent", "host",
        ]
        let isOther = record.fault.isEmpty
        json.object {
            $0.field("method", record.request.method.rawValue)
            $0.field("target", record.request.target)
            $0.object("headers") { json in
                for field in record.request.headers.fields
                where isOther || recorded.contains(field.name) {
                    json.key(text: field.name)
                    json.value(field.value)
                }
            }
            if isOther { return }
            let outcome = record.outcome.withLock { $0 }
            $0.field("fault", record.fault)
            $0.field("forwarded", outcome.isForwarded)
            $0.field("status", outcome.status)
        }
    }
}
