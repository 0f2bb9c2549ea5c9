import Foundation
import FoundationNetworking
import Support
import Testing

/// A test server or another program that prints a line of JSON and runs until its input ends, in
/// a folder of its own.
final class TestProcess {
    let process = Process()
    let input = Pipe()
    let program: Program
    let line: [String: Any]

    init(
        _ arguments: [String] = [],
        of name: String = "humon test-server",
        settings: [String: String] = [:]
    ) throws {
        program = try Program()
        let output = Pipe()
        let words = name.split(separator: " ").map(String.init)
        process.executableURL = try Program.executable.deletingLastPathComponent()
            .appendingPathComponent(words[0])
        process.arguments = words.dropFirst() + arguments
        process.currentDirectoryURL = URL(fileURLWithPath: program.folder)
        let settings = settings.merging(["TMPDIR": program.folder]) { $1 }
        process.environment = Sanitizers.environment(with: settings)
        process.standardInput = input
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let text = output.fileHandleForReading.availableData
        line = try JSONSerialization.jsonObject(with: text) as? [String: Any] ?? [:]
    }

    /// The status and the body of the response to a request with the server's secret.
    func request(_ method: String, _ path: String) async throws -> String {
        let base = try #require(line["url"] as? String)
        var request = URLRequest(url: try #require(URL(string: base + path)))
        request.httpMethod = method
        request.setValue(line["secret"] as? String, forHTTPHeaderField: "tb-app-secret")
        let (body, response) = try await URLSession.shared.data(for: request)
        let status = try #require(response as? HTTPURLResponse).statusCode
        return "\(status) \(String(decoding: body, as: UTF8.self))"
    }

    /// Waits for the end, and returns how the process ended.
    func waitForEnd() -> (Process.TerminationReason, Int32) {
        process.waitUntilExit()
        return (process.terminationReason, process.terminationStatus)
    }
}
