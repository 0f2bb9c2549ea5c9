import Foundation
import Glibc
import Support
import System

/// The program itself, serving a database on a port that the system chose.
final class HumonProcess: Sendable {
    static let secret = "kept-between-app-and-server"

    let port: UInt16
    let adminPort: UInt16
    private let process: Mutex<Process>
    private let log: LogReader

    /// Starts the server and returns as soon as it listens; throws if it ends instead.
    ///
    /// - Parameters:
    ///   - database: The path of its database.
    ///   - fileSizeLimit: With a limit, no file that it writes may grow beyond so many bytes.
    ///   - stallsLog: Whether nobody reads the log once the server listens, until `readLogOn`.
    ///   - settings: More settings.
    /// - Throws: `CrashTestError` if it does not start.
    init(
        database: String,
        fileSizeLimit: Int? = nil,
        stallsLog: Bool = false,
        settings: [String: String] = [:]
    ) throws {
        let process = Process()
        let pipe = Pipe()
        if let fileSizeLimit {
            Self.letFileSizeSignalEndProcesses()
            // In blocks of 512 bytes.
            let script = "ulimit -f \(fileSizeLimit / 512) && exec \"$0\" serve"
            process.executableURL = URL(fileURLWithPath: "/bin/sh")
            process.arguments = ["-c", script, try Self.executable.path]
        } else {
            process.executableURL = try Self.executable
            process.arguments = ["serve"]
        }
        // A folder without settings of its own.
        process.currentDirectoryURL = URL(fileURLWithPath: database).deletingLastPathComponent()
        let own = [
            "TB_APP_SECRET": Self.secret, "DATABASE_URL": "sqlite:\(database)", "PORT": "0",
            "ADMIN_PORT": "0", "RATE_LIMIT": "off",
            "LOG_FORMAT": "json", "WORKERS": "2",
        ]
        process.environment = Sanitizers.environment(with: own.merging(settings) { $1 })
        process.standardError = pipe
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        log = LogReader(pipe.fileHandleForReading, stalls: stallsLog)
        let ports = log.ports()
        guard ports.count == 2 else {
            process.waitUntilExit()
            throw CrashTestError("the server did not start: \(log.text)")
        }
        port = ports[0]
        adminPort = ports[1]
        self.process = Mutex(process)
    }

    /// The program inherits what its parent ignores, and what the thread that starts it blocks.
    private static func letFileSizeSignalEndProcesses() {
        Glibc.signal(SIGXFSZ, SIG_DFL)
        var set = sigset_t()
        unsafe sigemptyset(&set)
        unsafe sigaddset(&set, SIGXFSZ)
        unsafe pthread_sigmask(SIG_UNBLOCK, &set, nil)
    }

    /// Sends a signal and returns at once.
    func signal(_ number: Int32) {
        process.withLock { process in _ = kill(process.processIdentifier, number) }
    }

    /// Waits for the end and returns the exit code, or the negative number of the signal.
    func wait() -> Int32 {
        process.withLock { process in
            process.waitUntilExit()
            let isSignal = process.terminationReason == .uncaughtSignal
            return isSignal ? -process.terminationStatus : process.terminationStatus
        }
    }

    /// Lets a log be read on that nobody reads.
    func readLogOn() {
        log.readOn()
    }

    /// Waits until the log has this text.
    func awaitLog(_ text: String) {
        while !log.text.contains(text) { sched_yield() }
    }

    /// All that was logged; to be asked for after the end.
    func logText() -> String {
        log.awaitEnd()
        return log.text
    }

    /// The product that is built beside the tests.
    static var executable: URL {
        get throws {
            let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
            let url = URL(fileURLWithPath: tests).deletingLastPathComponent()
                .appendingPathComponent("humon")
            guard FileManager.default.isExecutableFile(atPath: url.path) else {
                throw CrashTestError("there is no \(url.path)")
            }
            return url
        }
    }
}

/// Reads a log to its end, so that its writer never waits for a reader unless it is to.
private final class LogReader: Sendable {
    private let lines = Mutex<[UInt8]>([])
    private let began = DispatchSemaphore(value: 0)
    private let mayReadOn = DispatchSemaphore(value: 0)
    private let ended = DispatchSemaphore(value: 0)

    init(_ handle: FileHandle, stalls: Bool) {
        let descriptor = handle.fileDescriptor
        Foundation.Thread.detachNewThread { [self] in
            // Keeps the descriptor open.
            defer { withExtendedLifetime(handle) {} }
            read(descriptor, stalls: stalls)
        }
    }

    var text: String { lines.withLock { String(decoding: $0, as: UTF8.self) } }

    /// The ports of the lines that say where the server listens; fewer than two if the log ends
    /// without them.
    func ports() -> [UInt16] {
        began.wait()
        return portsSoFar
    }

    private var portsSoFar: [UInt16] {
        text.split(separator: #""port":""#).dropFirst()
            .compactMap { UInt16($0.prefix { $0 != "\"" }) }
    }

    func readOn() {
        mayReadOn.signal()
    }

    func awaitEnd() {
        ended.wait()
        ended.signal()
    }

    private func read(_ descriptor: Int32, stalls: Bool) {
        var buffer = [UInt8](repeating: 0, count: 64 * 1024)
        var isListening = false
        while true {
            let count = unsafe buffer.withUnsafeMutableBytes { buffer in
                unsafe Glibc.read(descriptor, buffer.baseAddress, buffer.count)
            }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { break }
            lines.withLock { $0 += buffer.prefix(count) }
            if !isListening && portsSoFar.count == 2 {
                isListening = true
                began.signal()
                if stalls { mayReadOn.wait() }
            }
        }
        if !isListening { began.signal() }
        ended.signal()
    }
}

struct CrashTestError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
