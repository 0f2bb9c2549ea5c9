import Foundation
import HumonClient

/// A `humon test-server` that ends with the test.
final class Server: Sendable {
    /// The line that the server prints.
    private struct Line: Decodable {
        let url: URL
        let secret: String
    }

    let url: URL
    let secret: String
    private let process: Process
    private let input: Pipe

    /// Starts a server with more flags.
    init(_ flags: String...) throws {
        process = Process()
        process.executableURL = Self.program("humon")
        process.arguments = ["test-server"] + flags
        input = Pipe()
        let output = Pipe()
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        var line = Data()
        while line.last != 10, let byte = try output.fileHandleForReading.read(upToCount: 1) {
            line += byte
        }
        let read = try JSONDecoder().decode(Line.self, from: line)
        (url, secret) = (read.url, read.secret)
    }

    deinit {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    /// Returns a client with a token of its own.
    func client(
        timeout: Duration = .seconds(30),
        retry: RetryPolicy = .standard,
        tokens: any TokenStore = MemoryTokenStore()
    ) -> HumonClient {
        HumonClient(
            HumonConfiguration(baseURL: url, appSecret: secret, timeout: timeout, retry: retry),
            tokens: tokens
        )
    }

    /// The programs of the build, beside the tests.
    static func program(_ name: String) -> URL {
        URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: name)
    }
}
