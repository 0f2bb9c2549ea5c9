import Foundation
import Glibc
import Support
import Testing

/// Signals that other programs send to the server.
@Suite struct SignalTests {
    @Test func `serves on after signals that ask for nothing it can do`() async throws {
        try await onThread {
            let database = try CrashedDatabase()
            let server = try HumonProcess(database: database.path)
            let connection = try SocketConnection(port: server.port)
            let signals = [SIGHUP: "SIGHUP", SIGUSR1: "SIGUSR1", SIGUSR2: "SIGUSR2"]
            for number in signals.keys {
                server.signal(number)
                try connection.send(Array("GET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8))
                #expect(try connection.receive(answerTo: "GET").status == 200)
            }

            server.signal(SIGTERM)

            #expect(server.wait() == 0)
            let log = server.logText()
            for name in signals.values {
                let line =
                    #""message":"signal ignored: send SIGTERM to stop; restart the server to "#
                    + #"apply new settings","signal":"\#(name)"}"#
                #expect(log.components(separatedBy: line).count == 2, "\(name)")
            }
            #expect(log.contains(#""message":"stopping","signal":"SIGTERM"}"#))
        }
    }

    @Test func `stops in order at SIGQUIT`() async throws {
        try await onThread {
            let database = try CrashedDatabase()
            let server = try HumonProcess(database: database.path)

            server.signal(SIGQUIT)

            #expect(server.wait() == 0)
            let log = server.logText()
            #expect(log.contains(#""message":"stopping","signal":"SIGQUIT"}"#))
            #expect(log.contains(#""message":"stopped"}"#))
        }
    }

    @Test func `stops when its terminal is closed`() async throws {
        try await onThread {
            let database = try CrashedDatabase()
            let (log, terminal) = try Self.openTerminal()
            let process = Process()
            process.executableURL = try HumonProcess.executable
            process.arguments = ["serve", "--database-url", "sqlite:\(database.path)"]
            process.currentDirectoryURL = URL(fileURLWithPath: database.folder)
            process.environment = Sanitizers.environment(with: [
                "TB_APP_SECRET": "secret", "PORT": "0", "ADMIN_PORT": "off",
            ])
            process.standardError = terminal
            process.standardOutput = FileHandle.nullDevice
            try process.run()
            var text = ""
            while !text.contains(" info listening ") {
                text += String(decoding: log.availableData, as: UTF8.self)
            }

            _ = kill(process.processIdentifier, SIGHUP)
            process.waitUntilExit()

            #expect(process.terminationReason == .exit && process.terminationStatus == 0)
            while !text.contains(" info stopped") {
                text += String(decoding: log.availableData, as: UTF8.self)
            }
            #expect(text.contains(" info stopping signal=SIGHUP"))
        }
    }

    /// The two ends of a new terminal (pty(7)): what a person sees, and what the program has.
    private static func openTerminal() throws -> (person: FileHandle, program: FileHandle) {
        let person = unsafe open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        var lock: Int32 = 0
        var number: Int32 = -1
        // TIOCSPTLCK and TIOCGPTN (ioctl_tty(2)), which the C library's module lacks.
        let isUnlocked = unsafe ioctl(person, 0x4004_5431, &lock) == 0
        let isNumbered = unsafe ioctl(person, 0x8004_5430, &number) == 0
        try #require(isUnlocked && isNumbered)
        let program = unsafe open("/dev/pts/\(number)", O_RDWR | O_NOCTTY | O_CLOEXEC)
        try #require(program >= 0)
        return (
            FileHandle(fileDescriptor: person, closeOnDealloc: true),
            FileHandle(fileDescriptor: program, closeOnDealloc: true)
        )
    }
}
