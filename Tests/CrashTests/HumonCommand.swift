import Foundation
import Glibc
import Support

/// A command of the program that is not to serve but to end, by itself or killed.
final class HumonCommand {
    private let process = Process()

    /// Starts it with these arguments for this database.
    init(_ arguments: String..., database: String) throws {
        process.executableURL = try HumonProcess.executable
        process.arguments = arguments
        process.currentDirectoryURL = URL(fileURLWithPath: database).deletingLastPathComponent()
        process.environment = Sanitizers.environment(with: ["DATABASE_URL": "sqlite:\(database)"])
        process.standardError = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        try process.run()
    }

    /// Kills it as soon as something is the case; nothing happens if it ends before.
    func kill(when isTime: () throws -> Bool) rethrows {
        while process.isRunning {
            if try isTime() {
                _ = Glibc.kill(process.processIdentifier, SIGKILL)
                break
            }
            sched_yield()
        }
    }

    /// Waits for the end and returns the exit code, or the negative number of the signal.
    func wait() -> Int32 {
        process.waitUntilExit()
        let isSignal = process.terminationReason == .uncaughtSignal
        return isSignal ? -process.terminationStatus : process.terminationStatus
    }
}
