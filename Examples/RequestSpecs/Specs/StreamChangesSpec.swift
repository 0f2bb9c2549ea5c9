import Foundation
import XCTest

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// `GET /v1/changes/stream`.
final class StreamChangesSpec: XCTestCase {
    /// Receives the parts of a response as they arrive.
    private final class Receiver: NSObject, URLSessionDataDelegate, Sendable {
        private let parts: AsyncStream<Data>.Continuation

        init(_ parts: AsyncStream<Data>.Continuation) {
            self.parts = parts
        }

        func urlSession(_: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
            parts.yield(data)
        }

        func urlSession(_: URLSession, task: URLSessionTask, didCompleteWithError: (any Error)?) {
            parts.finish()
        }
    }

    func testSendsAnEventThatIsCreatedInTheRegion() async throws {
        let user = try await signUp()
        let (lat, lon) = (user.home.lat, user.home.lon)
        let path = "/v1/changes/stream?lat=\(lat)&lon=\(lon)&radius=1&since=now"
        let url = try XCTUnwrap(URL(string: path, relativeTo: TestServer.shared.get().url))
        let (parts, continuation) = AsyncStream.makeStream(of: Data.self)
        let session = URLSession(
            configuration: .ephemeral,
            delegate: Receiver(continuation),
            delegateQueue: nil
        )
        session.dataTask(with: url).resume()
        defer { session.invalidateAndCancel() }

        var text = ""
        var event: Event?
        for await part in parts {
            text += String(decoding: part, as: UTF8.self)
            if event == nil, text.contains("event: ready\n"), text.hasSuffix("\n\n") {
                event = try await createEvent(by: user)
                text = ""
            } else if event != nil, text.hasSuffix("\n\n") {
                break
            }
        }

        let lines = text.split(separator: "\n")
        XCTAssertEqual(lines.map { $0.prefix(4) }, ["even", "id: ", "data"])
        XCTAssertEqual(lines.first, "event: change")
        let id = try XCTUnwrap(event).id
        let beginning = #"data: {"op":"enter","type":"event","id":\#(id),"#
        XCTAssert(lines.last?.hasPrefix(beginning) == true, text)
    }
}
