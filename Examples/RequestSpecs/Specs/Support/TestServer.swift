import Foundation
import XCTest

/// The test server that all specs of a run share.
///
/// It deletes its database when its standard input closes. That also happens if the run crashes.
final class TestServer: NSObject, XCTestObservation, Sendable {
    /// What the server prints when it is ready.
    private struct Ready: Decodable {
        let url: URL
        let secret: String
        let pid: Int32
    }

    private struct StartError: Error, CustomStringConvertible {
        let description: String
    }

    /// Starts the server at the first use.
    static let shared = Result { try TestServer(program: program) }

    /// The base of all URLs.
    let url: URL
    /// What the app sends to create users.
    let secret: String
    private let process = Process()
    private let input = Pipe()

    private init(program: URL) throws {
        guard FileManager.default.isExecutableFile(atPath: program.path) else {
            throw StartError(
                description: """
                    There is no program at \(program.path). Run `swift build --product humon`, or \
                    set HUMON_PROGRAM to the path of humon.
                    """
            )
        }
        let output = Pipe()
        process.executableURL = program
        process.arguments = ["test-server", "--systems", "humon"]
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        let line = Self.firstLine(of: output.fileHandleForReading)
        guard let ready = try? JSONDecoder().decode(Ready.self, from: line) else {
            throw StartError(
                description: """
                    \(program.path) test-server did not start: it printed \
                    "\(String(decoding: line, as: UTF8.self))".
                    """
            )
        }
        url = ready.url
        secret = ready.secret
        super.init()
        XCTestObservationCenter.shared.addTestObserver(self)
    }

    /// Ends the server after the last spec.
    func testBundleDidFinish(_ testBundle: Bundle) {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    private static var program: URL {
        if let path = ProcessInfo.processInfo.environment["HUMON_PROGRAM"] {
            return URL(fileURLWithPath: path)
        }
        let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        return package.appendingPathComponent("../../.build/debug/humon").standardizedFileURL
    }

    /// Returns the output up to the first line feed, or all output if the program ends without one.
    private static func firstLine(of output: FileHandle) -> Data {
        var line = Data()
        while !line.contains(UInt8(ascii: "\n")) {
            let part = output.availableData
            if part.isEmpty { break }
            line += part
        }
        return line
    }
}
