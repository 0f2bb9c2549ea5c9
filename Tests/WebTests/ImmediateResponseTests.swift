@testable import HTTP
import Logging
import Rules
import Support
import Testing
import Web

/// Responses that memory has, so that no task has to wait for them.
@Suite struct ImmediateResponseTests {
    private let application: Application

    init() throws {
        application = try FailingStore(error: ModelError.notFound, remembered: [7: "{\"id\":7}"])
            .application(try Logger(level: .error, format: .json))
    }

    @Test(arguments: ["/v1/events/7", "/v1/events/7.json", "/v1/events/7/"])
    func `are complete`(path: String) throws {
        let response = try #require(immediate(Request(method: .get, path: path)))

        #expect(response.status == .ok)
        #expect(String(decoding: response.body, as: UTF8.self) == #"{"id":7}"#)
        #expect(
            response.headers.fields.map(\.name) == [
                "content-type", "etag", "cache-control", "x-request-id",
            ]
        )
        #expect(response.headers["content-type"] == "application/json; charset=utf-8")
        #expect(response.headers["etag"] == ETag.make(for: response.body.span))
        #expect(response.headers["cache-control"] == "max-age=0, private, must-revalidate")
        #expect(counts == [#"{method="GET",route="/v1/events/:id",status="200"} 1"#])
    }

    @Test func `have no body if the client has it`() throws {
        var request = Request(method: .get, path: "/v1/events/7")
        request.headers.append("if-none-match", ETag.make(for: #"{"id":7}"#.utf8.span))

        let response = try #require(immediate(request))

        #expect(response.status == .notModified)
        #expect(response.body.isEmpty)
        #expect(counts == [#"{method="GET",route="/v1/events/:id",status="304"} 1"#])
    }

    @Test(arguments: [
        ("/v1/events/0", Status.notFound), ("/v1/events/7x", .notFound), ("/nowhere", .notFound),
        ("/v1/users", .methodNotAllowed),
    ])
    func `say at once what no storage can answer`(path: String, status: Status) throws {
        let response = try #require(immediate(Request(method: .get, path: path)))

        #expect(response.status == status)
        #expect(counts.count == 1)
    }

    @Test func `leave other events to the storage, and are counted once`() async throws {
        let eventual = application.respond(to: Request(method: .get, path: "/v1/events/8"))

        guard case .later = eventual else {
            Issue.record("memory has answered for the storage")
            return
        }
        #expect(counts == [])
        let response = await eventual.response
        #expect(response.status == .notFound)
        #expect(counts == [#"{method="GET",route="/v1/events/:id",status="404"} 1"#])
    }

    /// The counters of requests, without the name of the metric.
    private var counts: [String] {
        var text = MetricsText()
        application.metrics.append(to: &text)
        let name = "humon_requests_total"
        return String(decoding: text.bytes, as: UTF8.self).split(separator: "\n")
            .filter { $0.hasPrefix(name) }
            .map { String($0.dropFirst(name.count)) }
    }

    private func immediate(_ request: Request) -> Response? {
        guard case .now(let response) = application.respond(to: request) else { return nil }
        return response
    }
}
