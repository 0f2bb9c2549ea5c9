import Foundation
import XCTest

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The requests of specs.
extension XCTestCase {
    private static let tokenHeader = "tb-auth-token"

    /// Sends a GET request.
    func get(
        _ path: String,
        as user: User? = nil,
        headers: [String: String] = [:]
    ) async throws -> Response {
        try await send("GET", path, as: user, headers: headers)
    }

    /// Sends a POST request with this body as JSON, if any.
    func post(
        _ path: String,
        _ body: (some Encodable)? = Bool?.none,
        as user: User? = nil,
        headers: [String: String] = [:]
    ) async throws -> Response {
        try await send("POST", path, body, as: user, headers: headers)
    }

    /// Sends a PATCH request with this body as JSON.
    func patch(
        _ path: String,
        _ body: some Encodable,
        as user: User? = nil,
        headers: [String: String] = [:]
    ) async throws -> Response {
        try await send("PATCH", path, body, as: user, headers: headers)
    }

    /// Sends a PUT request with this body as JSON.
    func put(_ path: String, _ body: some Encodable, as user: User? = nil) async throws -> Response
    {
        try await send("PUT", path, body, as: user)
    }

    /// Sends a DELETE request.
    func delete(_ path: String, as user: User? = nil) async throws -> Response {
        try await send("DELETE", path, as: user)
    }

    private func send(
        _ method: String,
        _ path: String,
        _ body: (some Encodable)? = Bool?.none,
        as user: User? = nil,
        headers: [String: String] = [:]
    ) async throws -> Response {
        let server = try TestServer.shared.get()
        let url = try XCTUnwrap(URL(string: path, relativeTo: server.url))
        // A spec sees what the server says, and not what a cache remembers.
        var request = URLRequest(url: url, cachePolicy: .reloadIgnoringLocalCacheData)
        request.httpMethod = method
        request.allHTTPHeaderFields = headers
        if let user { request.setValue(user.token, forHTTPHeaderField: Self.tokenHeader) }
        if let body {
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
            request.httpBody = try JSONEncoder.api.encode(body)
        }
        let (data, response) = try await URLSession.shared.data(for: request)
        let head = try XCTUnwrap(response as? HTTPURLResponse)
        return Response(
            status: head.statusCode,
            data: data,
            headers: head.allHeaderFields as? [String: String] ?? [:]
        )
    }
}
