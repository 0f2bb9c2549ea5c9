#if os(Linux)
import Foundation
import Testing

@testable import HumonClient

/// Responses that open no stream.
@Suite struct StreamResponseTests {
    @Test(
        arguments: [
            ("204 No Content", "text/plain", "", .decoding),
            ("200 OK", "text/html", "<p>", .decoding),
            ("200 OK", "application/json", "{}", .decoding),
            ("404 Not Found", "application/json", #"{"message":"Not found"}"#, .notFound),
            ("422 x", "application/json", #"{"errors":["Lat can't be blank"]}"#, .validationFailed),
        ] as [(String, String, String, HumonError.Kind)]
    )
    func `end it with an error`(status: String, type: String, body: String, kind: HumonError.Kind)
        async throws
    {
        let server = try LocalServer(sending: Data(body.utf8), status: status, type: type)
        let humon = HumonClient(
            HumonConfiguration(baseURL: server.url),
            tokens: MemoryTokenStore()
        )
        var iterator = humon.changes.stream(.region(.all)).makeAsyncIterator()

        let error = await #expect(throws: HumonError.self) { _ = try await iterator.next() }

        #expect(error?.kind == kind)
    }

    @Test func `reads what comes before the connection is lost`() async throws {
        let text = "retry: 60000\n\nevent: ready\nid: 7\ndata: {}\n\nevent: reset\n"
        let server = try LocalServer(sending: Data(text.utf8), type: "text/event-stream")
        let humon = HumonClient(
            HumonConfiguration(baseURL: server.url),
            tokens: MemoryTokenStore()
        )
        var iterator = humon.changes.stream(.region(.all)).makeAsyncIterator()

        #expect(try await iterator.next() == .ready(Cursor(rawValue: "7")))
    }
}
#endif
