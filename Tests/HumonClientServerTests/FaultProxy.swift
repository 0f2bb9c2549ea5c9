import Foundation
import FoundationNetworking
import Testing

/// `FaultProxy` before a server; see its usage in `Tests/FaultProxy`.
final class FaultProxy: Sendable {
    struct Log: Decodable {
        struct Request: Decodable {
            let method: String
            let target: String
            let headers: [String: String]
            let forwarded: Bool?
            let status: Int?
        }

        let requests: [Request]
        /// The requests at the host to which the proxy redirects.
        let other: [Request]
    }

    private struct Line: Decodable {
        let url: URL
        let control: URL
    }

    let url: URL
    private let control: URL
    private let process: Process
    private let input: Pipe

    /// Starts a proxy.
    init(before server: Server) throws {
        let target = server.url.absoluteString.replacing("http://", with: "")
        let (process, input, line) = try Process.start("FaultProxy", ["--target", target])
        (self.process, self.input) = (process, input)
        let read = try JSONDecoder().decode(Line.self, from: line)
        (url, control) = (read.url, read.control)
    }

    deinit {
        // Another child can inherit the end of the pipe, so closing it may not end the process.
        process.terminate()
    }

    /// Forgets the requests, and lets the next ones fail.
    func fail(_ faults: [String]) async throws {
        try await order("DELETE", "requests")
        try await order("POST", "faults", faults.joined(separator: "\n"))
    }

    /// The requests since the last order.
    func log() async throws -> Log {
        try await JSONDecoder().decode(Log.self, from: order("GET", "requests"))
    }

    @discardableResult
    private func order(
        _ method: String,
        _ path: String,
        _ body: String = ""
    ) async throws -> Data {
        let url = try #require(URL(string: control.absoluteString + "/" + path))
        var request = URLRequest(url: url)
        request.httpMethod = method
        if method == "POST" { request.httpBody = Data(body.utf8) }
        return try await URLSession.shared.data(for: request).0
    }
}
