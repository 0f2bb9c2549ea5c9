import Model
import Foundation
import HTTPClient
import Testing

@testable import SignIn

/// libcurl against issuer.py, a server on this machine with certificates of its own authority.
@Suite final class FetchTests {
    private let folder = NSTemporaryDirectory() + "humon-issuer-\(UUID().uuidString)"
    private let process = Process()
    private let input = Pipe()
    private let ports: [String]
    private let client: HTTPClient

    init() throws {
        try FileManager.default.createDirectory(
            atPath: folder,
            withIntermediateDirectories: false
        )
        let keys = try #require(Vectors.documents()["https://second.example"])
        try Data(keys).write(to: URL(filePath: folder + "/keys.json"))
        let program = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "issuer.py")
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["python3", program.path, folder]
        process.standardInput = input
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        var line = Data()
        while line.last != UInt8(ascii: "\n") {
            let data = output.fileHandleForReading.availableData
            try #require(!data.isEmpty)
            line += data
        }
        ports = String(decoding: line, as: UTF8.self).split { $0.isWhitespace }.map(String.init)
        client = try #require(HTTPClient(authorities: folder + "/ca.pem"))
    }

    deinit {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
        try? FileManager.default.removeItem(atPath: folder)
    }

    @Test func `returns the body of a response, and its keys verify tokens`() async throws {
        #expect(try get("/keys") == Vectors.documents()["https://second.example"])

        let url = "https://localhost:\(ports[0])/keys"
        let verifier = try IDTokenVerifier(
            Issuer.list("https://second.example app-9 \(url)"),
            refreshMinutes: 60,
            authorities: folder + "/ca.pem",
            now: { Vectors.now }
        )
        verifier.refresh()
        let row = try #require(Vectors.rows.first { $0.name == "accepted: second issuer" })
        #expect(try await verifier.verify(row.id_token, nonce: nil).subject == row.subject)
    }

    @Test(
        arguments: [
            ("/redirect", "the status of the response is 302"),
            ("/http", "the status of the response is 302"),
            ("/error", "the status of the response is 500"),
            ("/partial", "the status of the response is 206"),
            ("/missing", "the status of the response is 404"),
            ("/huge", "the response has over 64 KiB"),
            ("/stalled", "Timeout was reached"),
        ]
    )
    func `rejects responses`(path: String, reason: String) throws {
        #expect(throws: KeyError(reason)) { try get(path) }
        let requests = try String(contentsOfFile: folder + "/requests", encoding: .utf8)
        #expect(requests == path + "\n")
    }

    @Test func `rejects certificates with another name, and expired ones`() throws {
        let reason = KeyError("SSL peer certificate or SSH remote key was not OK")
        #expect(throws: reason) { try get("/keys", port: 1) }
        #expect(throws: reason) { try get("/keys", port: 2) }
        #expect(throws: reason) {
            try HTTPClient(authorities: nil)?.keys(at: "https://localhost:\(ports[0])/keys")
        }
        #expect(!FileManager.default.fileExists(atPath: folder + "/requests"))
    }

    @Test(arguments: ["http://localhost/keys", "file:///etc/passwd", "ftp://localhost/keys"])
    func `makes no request without HTTPS`(url: String) {
        #expect(throws: KeyError("Unsupported protocol")) { try client.keys(at: url) }
    }

    private func get(_ path: String, port: Int = 0) throws -> [UInt8] {
        try client.keys(at: "https://localhost:\(ports[port])\(path)")
    }
}
