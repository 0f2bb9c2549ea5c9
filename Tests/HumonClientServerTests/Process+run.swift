import Foundation

extension Process {
    /// Starts a program of the build, which ends when `input` is closed; returns its first line.
    static func start(
        _ name: String,
        _ arguments: [String]
    ) throws -> (process: Process, input: Pipe, line: Data) {
        let process = Process()
        // The programs are beside the tests.
        let folder = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
        process.executableURL = folder.appending(path: name)
        process.arguments = arguments
        let (input, output) = (Pipe(), Pipe())
        process.standardInput = input
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        var line = Data()
        while line.last != 10, let byte = try output.fileHandleForReading.read(upToCount: 1) {
            line += byte
        }
        return (process, input, line)
    }

    /// Runs a program with this input, and returns its output.
    static func run(_ words: [String], input text: Data = Data()) throws -> Data {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = words
        let (input, output) = (Pipe(), Pipe())
        process.standardInput = input
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        try input.fileHandleForWriting.write(contentsOf: text)
        try input.fileHandleForWriting.close()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return data
    }
}
