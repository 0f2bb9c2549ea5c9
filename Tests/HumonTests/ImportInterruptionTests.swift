import Foundation
import Glibc
import Support
import Testing

/// Signals during an import, and imports of pipes.
@Suite struct ImportInterruptionTests {
    private let program: Program

    init() throws {
        program = try Program()
    }

    private let hint = """
        Imports contain no tokens, account names or passwords. To move everything, use `humon \
        backup` and `humon restore`.

        """

    private func event(_ name: String) -> String {
        #"{"name":"\#(name)","lat":1,"lon":2,"started_at":"2030-01-01","owner":1}"#
    }

    private func names() throws -> [String] {
        try program.run("export").output.matches(of: /"name":"([^"]*)"/).map { String($0.1) }
    }

    /// Starts an import of a pipe, feeds it, and stops it while it waits for more.
    private func interrupt(
        _ arguments: [String],
        by signal: Int32,
        lines: Int,
        whenStored stored: Int
    ) throws -> Program.Outcome {
        #expect(try program.run("migrate").status == 0)
        let process = Process()
        process.executableURL = try Program.executable
        process.arguments = ["import", "-", "--format", "ndjson"] + arguments
        process.currentDirectoryURL = URL(fileURLWithPath: program.folder)
        process.environment = Sanitizers.environment(with: [:])
        let input = Pipe()
        let error = Pipe()
        process.standardInput = input
        process.standardError = error
        try process.run()
        // More than a pipe holds, so that the command listens for signals once all is written.
        let text = (0..<lines).map { event("\($0)") + "\n" }.joined()
        try input.fileHandleForWriting.write(contentsOf: Data(text.utf8))
        while try names().count < stored { sched_yield() }
        #expect(kill(process.processIdentifier, signal) == 0)
        let output = error.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        try input.fileHandleForWriting.close()
        #expect(process.terminationReason == .exit)
        return Program.Outcome(
            status: process.terminationStatus,
            error: String(decoding: output, as: UTF8.self)
        )
    }

    @Test(
        arguments: [(SIGINT, "SIGINT", 130), (SIGTERM, "SIGTERM", 143)] as [(Int32, String, Int32)]
    )
    func `says how far it came if it is stopped`(
        signal: Int32,
        name: String,
        status: Int32
    ) throws {
        let outcome = try interrupt([], by: signal, lines: 25_500, whenStored: 25_000)

        #expect(
            outcome
                == .init(
                    status: status,
                    error: """
                        Imported 25000 events.
                        humon: Stopped by \(name) after line 25000. The records before that are \
                        stored: another import would add those without ids again.

                        """
                )
        )
        #expect(try names() == (0..<25_000).map { "\($0)" })
    }

    @Test func `stores nothing if it is stopped and atomic`() throws {
        let outcome = try interrupt(["--atomic"], by: SIGINT, lines: 4500, whenStored: 0)

        #expect(
            outcome
                == .init(
                    status: 130,
                    error: "Imported nothing.\nhumon: Stopped by SIGINT.\n"
                )
        )
        #expect(try names() == [])
    }

    @Test(arguments: [[], ["--atomic"]])
    func `does not take the end of what the same signal has ended for that of the file`(
        options: [String]
    ) throws {
        #expect(try program.run("migrate").status == 0)
        for _ in 1...5 {
            let process = Process()
            process.executableURL = try Program.executable
            process.arguments = ["import", "-", "--format", "ndjson"] + options
            process.currentDirectoryURL = URL(fileURLWithPath: program.folder)
            process.environment = Sanitizers.environment(with: [:])
            let input = Pipe()
            process.standardInput = input
            process.standardError = FileHandle.nullDevice
            try process.run()
            while !blocksInterrupt("/proc/\(process.processIdentifier)/status") { sched_yield() }
            try input.fileHandleForWriting.write(contentsOf: Data((event("half") + "\n").utf8))

            #expect(kill(process.processIdentifier, SIGINT) == 0)
            try input.fileHandleForWriting.close()
            process.waitUntilExit()

            #expect(process.terminationReason == .exit)
            #expect(process.terminationStatus == 130)
            if !options.isEmpty { #expect(try names() == []) }
        }
    }

    /// Starts an import that waits, and sends SIGINT as soon as the command listens for it.
    private func startAndInterrupt(_ path: String) throws -> Process {
        let process = Process()
        process.executableURL = try Program.executable
        process.arguments = ["import", path, "--format", "ndjson"]
        process.currentDirectoryURL = URL(fileURLWithPath: program.folder)
        process.environment = Sanitizers.environment(with: [:])
        process.standardError = FileHandle.nullDevice
        try process.run()
        let command = process.processIdentifier
        while !blocksInterrupt("/proc/\(command)/status") { sched_yield() }
        #expect(kill(command, SIGINT) == 0)
        return process
    }

    /// Whether the thread of this `status` keeps SIGINT from ending the process.
    private func blocksInterrupt(_ path: String) -> Bool {
        // It is gone with the thread.
        guard let status = try? String(contentsOfFile: path, encoding: .utf8),
            let mask = status.firstMatch(of: /SigBlk:\s*([0-9a-f]+)/)?.1,
            let bits = UInt64(mask, radix: 16)
        else { return true }
        return bits >> UInt64(SIGINT - 1) & 1 == 1
    }

    @Test func `ends at the second signal while another process writes`() throws {
        try program.write(event("a"), to: "in.ndjson")
        #expect(try program.run("migrate").status == 0)
        let lock = unsafe open(program.folder + "/humon.sqlite3-lock", O_RDWR)
        defer { close(lock) }
        #expect(flock(lock, LOCK_EX) == 0)

        let process = try startAndInterrupt("in.ndjson")
        let tasks = "/proc/\(process.processIdentifier)/task"
        let isListening = {
            let threads = (try? FileManager.default.contentsOfDirectory(atPath: tasks)) ?? []
            return threads.contains { thread in
                let path = "\(tasks)/\(thread)/status"
                return !blocksInterrupt(path)
                    && (try? String(contentsOfFile: path, encoding: .utf8))?
                        .contains("(sleeping)") == true
            }
        }
        while process.isRunning, !isListening() { sched_yield() }
        kill(process.processIdentifier, SIGINT)
        process.waitUntilExit()

        #expect(process.terminationReason == .uncaughtSignal)
        #expect(process.terminationStatus == SIGINT)
        #expect(flock(lock, LOCK_UN) == 0)
        #expect(try names() == [])
    }

    @Test func `ends while nobody writes to the named pipe`() throws {
        #expect(try program.run("migrate").status == 0)
        let made = unsafe mkfifo(program.folder + "/pipe", 0o600)
        #expect(made == 0)

        let process = try startAndInterrupt("pipe")
        process.waitUntilExit()

        #expect(process.terminationReason == .exit)
        #expect(process.terminationStatus == 130)
        #expect(try names() == [])
    }

    @Test func `reads a named pipe to its end`() throws {
        let made = unsafe mkfifo(program.folder + "/pipe", 0o600)
        #expect(made == 0)
        let text = (0..<4500).map { event("\($0)") + "\n" }.joined()
        let writer = Thread { [folder = program.folder] in
            // To open it waits until the command has.
            guard let file = FileHandle(forWritingAtPath: folder + "/pipe") else { return }
            try? file.write(contentsOf: Data(text.utf8))
            try? file.close()
        }
        writer.start()

        #expect(
            try program.run("import pipe --format ndjson")
                == .init(error: "Imported 4500 events.\n" + hint)
        )
        #expect(try names().count == 4500)
    }
}
