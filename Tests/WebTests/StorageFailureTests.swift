import Foundation
@testable import HTTP
import Logging
import Rules
import Sodium
import Support
import Testing
import Web

/// What clients and the log are told where the storage fails.
@Suite struct StorageFailureTests {
    private static let requests = [
        Request(method: .post, path: "/v1/users", headers: ["tb-app-secret": "secret"]),
        Request(
            method: .post,
            path: "/v1/users",
            headers: ["tb-app-secret": "secret", "tb-device-token": "a"]
        ),
        Request(method: .get, path: "/v1/users/me", headers: ["authorization": "Bearer a"]),
        Request(method: .get, path: "/v1/events/1"),
        Request(method: .head, path: "/v1/events/1", headers: ["if-none-match": "*"]),
        Request(method: .get, path: "/v1/events/nearests", query: "lat=1&lon=2"),
        Request(method: .get, path: "/v1/events.json"),
        Request(method: .get, path: "/v1/events.ics", query: "owner=1"),
        Request(method: .get, path: "/v1/events/clusters", query: "bbox=0,0,1,1&zoom=1"),
        Request(method: .get, path: "/v1/events/1.ics"),
        Request(method: .get, path: "/v1/events/1.geojson"),
        Request(method: .get, path: "/v1/events/1/attendances"),
        Request(
            method: .post,
            path: "/v1/events",
            headers: ["tb-auth-token": "a"],
            body: Array("name=a&lat=1&lon=2&started_at=2013-09-16".utf8)
        ),
        Request(method: .patch, path: "/v1/events/1", headers: ["tb-auth-token": "a"]),
        Request(method: .put, path: "/v1/events/1", headers: ["tb-auth-token": "a"]),
        Request(method: .delete, path: "/v1/events/1", headers: ["tb-auth-token": "a"]),
        Request(method: .post, path: "/v1/attendances", headers: ["tb-auth-token": "a"]),
        Request(method: .delete, path: "/v1/attendances/1", headers: ["tb-auth-token": "a"]),
        Request(method: .post, path: "/api/checkins", body: Array("{}".utf8)),
    ]

    /// Requests of systems that have their own shape of errors, with the body of a 503.
    private static let others: [(request: Request, body: String)] = [
        (Request(method: .post, path: "/my_tasks/pending_tasks.php"), ""),
        (Request(method: .post, path: "/my_tasks/add_task.php", query: "name=a&taskID=1"), ""),
        (Request(method: .post, path: "/my_tasks/set_task_completed.php", query: "taskID=1"), ""),
        (todo(.get, "/v1/tasks"), todoBody), (todo(.post, "/v1/tasks"), todoBody),
        (todo(.get, "/v1/tasks/1"), todoBody), (todo(.put, "/v1/tasks/1"), todoBody),
        (todo(.patch, "/v1/tasks/1"), todoBody), (todo(.delete, "/v1/tasks/1"), todoBody),
        (todo(.delete, "/v1/users/sign_out"), todoBody),
        (todo(.post, "/v1/users/delete"), todoBody),
        (todo(.post, "/v1/users/sign_in"), todoBody), (todo(.post, "/v1/users"), todoBody),
    ]

    private static let todoBody = #"{"status":"503","error":"The storage is full."}"#

    private static func todo(_ method: HTTP.Method, _ path: String) -> Request {
        Request(
            method: method,
            path: path,
            headers: ["authorization": "Bearer a"],
            body: Array("user[email]=a@b.c&user[password]=12345678&task[title]=a".utf8)
        )
    }

    @Test(arguments: others)
    func `answers 503 in the shape that the client knows`(
        request: Request,
        body: String
    ) async throws {
        let (response, log) = try await respond(
            to: request,
            failingWith: ModelError.unavailable(reason: "The storage is full.")
        )

        #expect(response.status == .serviceUnavailable)
        #expect(String(decoding: response.body, as: UTF8.self) == body)
        #expect(response.headers["retry-after"] == "1")
        #expect(log.contains(#""cause":"The storage is full.""#))
    }

    @Test(arguments: requests)
    func `answers 503 and when to come back while the storage can't be used`(
        request: Request
    ) async throws {
        let (response, log) = try await respond(
            to: request,
            failingWith: ModelError.unavailable(reason: "The storage is full.")
        )

        #expect(response.status == .serviceUnavailable)
        #expect(
            String(decoding: response.body, as: UTF8.self) == #"{"message":"The storage is full."}"#
        )
        #expect(
            response.headers == [
                "content-type": "application/json; charset=utf-8", "retry-after": "1",
                "cache-control": "no-store",
                "x-request-id": id(of: response),
            ]
        )
        #expect(!response.isShed)
        #expect(log.contains(#""message":"request failed","request_id":"\#(id(of: response))""#))
        #expect(log.contains(#""cause":"The storage is full.""#))
    }

    @Test(
        arguments: requests + others.map(\.request),
        [ModelError.overloaded(reason: "Too many wait."), PasswordHasherError.queueFull]
            as [any Error]
    )
    func `lets those wait whom there is no room for`(
        request: Request,
        error: any Error
    ) async throws {
        let (response, log) = try await respond(to: request, failingWith: error)

        #expect(response.status == .serviceUnavailable)
        #expect(response.headers["retry-after"] == "1")
        #expect(response.isShed)
        #expect(log.contains(#""cause":"Too many "#))
    }

    @Test(arguments: requests)
    func `lets clients wait while the storage can't be reached, and logs one line for each`(
        request: Request
    ) async throws {
        let (response, log) = try await respond(
            to: request,
            failingWith: ModelError.unreachable(cause: "secret host is down")
        )

        #expect(response.status == .serviceUnavailable)
        #expect(
            String(decoding: response.body, as: UTF8.self)
                == #"{"message":"The storage cannot be reached."}"#
        )
        #expect(response.headers["retry-after"] == "1")
        #expect(response.isShed)
        #expect(!log.contains("request failed"))
        #expect(!log.contains("secret host"))
    }

    @Test(
        arguments: requests,
        [ModelError.storage(cause: "table events is gone"), Surprise("table events is gone")]
            as [any Error]
    )
    func `answers 500 and tells the cause to the log alone`(
        request: Request,
        error: any Error
    ) async throws {
        let (response, log) = try await respond(to: request, failingWith: error)

        #expect(response.status == .internalServerError)
        #expect(
            String(decoding: response.body, as: UTF8.self)
                == #"{"message":"Internal Server Error"}"#
        )
        #expect(
            response.headers == [
                "content-type": "application/json; charset=utf-8", "cache-control": "no-store",
                "x-request-id": id(of: response),
            ]
        )
        let lines = log.split(separator: "\n")
        try #require(lines.count == 2)
        #expect(lines[0].contains(#""level":"error","message":"request failed""#))
        #expect(lines[0].contains("table events is gone"))
        #expect(lines.allSatisfy { $0.contains(id(of: response)) })
        #expect(lines[1].contains(#""status":500,"#))
    }

    @Test func `says nothing in the log of what the client is told`() async throws {
        let request = Request(method: .get, path: "/v1/events/1")

        let (response, log) = try await respond(to: request, failingWith: ModelError.notFound)

        #expect(response.status == .notFound)
        #expect(log.split(separator: "\n").count == 1)
        #expect(!log.contains("error"))
    }

    @Test(
        arguments: ["/api/checkins", "/api/categories"],
        [
            (ModelError.unavailable(reason: "Full."), 503),
            (ModelError.storage(cause: "Gone."), 500),
        ]
    )
    func `answers an empty list to the client that crashes on anything else`(
        path: String,
        failure: (error: ModelError, status: Int)
    ) async throws {
        let (response, log) = try await respond(
            to: Request(method: .get, path: path, headers: ["if-none-match": "*"]),
            failingWith: failure.error
        )

        #expect(response.status == .ok)
        #expect(String(decoding: response.body, as: UTF8.self) == "[]")
        #expect(response.headers["etag"] == nil)
        let lines = log.split(separator: "\n")
        try #require(lines.count == 2)
        #expect(lines[0].contains(#""message":"request failed""#))
        #expect(lines[1].contains(#""path":"\#(path)","status":\#(failure.status),"bytes":2,"#))
    }

    @Test(arguments: ["/api/checkins", "/api/categories"])
    func `counts the empty list as the failure that it hides`(path: String) async throws {
        let error = ModelError.unavailable(reason: "Full.")
        let application = try FailingStore(error: error)
            .application(try Logger(level: .error, format: .json))

        _ = await application.respond(to: Request(method: .get, path: path)).response

        var text = MetricsText()
        application.metrics.append(to: &text)
        let counts = String(decoding: text.bytes, as: UTF8.self).split(separator: "\n")
            .filter { $0.hasPrefix("humon_requests_total") }
        #expect(
            counts == [
                #"humon_requests_total{method="GET",route="\#(path)",status="503"} 1"#
            ]
        )
    }

    @Test func `tells a client for whom there is no room when to come back`() throws {
        let application = try FailingStore(error: ModelError.notFound)
            .application(try Logger(level: .error, format: .json))

        let response = application.refuse(.serviceUnavailable, "Full.", of: nil)
        let other = application.refuse(.badRequest, "Bad.", of: nil)

        #expect(response.headers["retry-after"] == "1")
        #expect(response.body.isEmpty)
        #expect(other.headers["retry-after"] == nil)
        #expect(String(decoding: other.body, as: UTF8.self) == #"{"message":"Bad."}"#)
    }

    /// The response to a request whose storage fails, and what the log says of it.
    private func respond(
        to request: Request,
        failingWith error: any Error
    ) async throws -> (Response, log: String) {
        let pipe = Pipe()
        let logger = try Logger(
            level: .info,
            format: .json,
            descriptor: pipe.fileHandleForWriting.fileDescriptor
        )
        let application = try FailingStore(error: error).application(logger)
        let response = await application.respond(to: request).response
        logger.close()
        try pipe.fileHandleForWriting.close()
        let log = try pipe.fileHandleForReading.readToEnd() ?? Data()
        return (response, String(decoding: log, as: UTF8.self))
    }

    private func id(of response: Response) -> String {
        response.headers["x-request-id"] ?? "no id"
    }
}

/// An error that nobody foresaw.
private struct Surprise: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
