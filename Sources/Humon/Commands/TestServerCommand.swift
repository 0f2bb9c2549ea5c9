import Glibc
import HTTPServer
import JSON
import Logging
import Model
import SQLite
import Sodium
import Threads

/// `humon test-server`: serves a new database for the tests of an app, and deletes it at the end.
struct TestServerCommand {
    /// What apps under test send to create users.
    private static let secret = "test-secret"
    /// Read from standard input at once; what it says does not matter.
    private static let chunkBytes = 4096

    private var configuration: Configuration

    /// A test server with these settings, of which the flags win over its own defaults.
    ///
    /// Neither the environment nor `.env` counts, so that it is the same on every machine.
    init(flags: [String: String]) throws {
        var defaults = Configuration(coreCount: 1, isTerminal: Terminal.error.isInteractive)
        defaults.port = 0
        defaults.adminPort = nil
        defaults.appSecrets = [Self.secret]
        defaults.limitsRates = false
        defaults.synchronous = .off
        defaults.logLevel = .warning
        let resolved = try SettingSources(flags: flags).resolve(over: defaults)
        guard flags["DATABASE_URL"] == nil else {
            throw UsageError("`humon test-server` makes a database of its own.")
        }
        configuration = resolved.configuration
    }

    /// Serves until standard input ends, or SIGTERM or SIGINT comes.
    ///
    /// Prints a line with `url`, `secret` and `pid` as JSON once it serves.
    ///
    /// - Parameter isSeeded: Whether the database gets demo records.
    /// - Throws: What the folder, the database or the port can't do.
    mutating func run(isSeeded: Bool) async throws {
        let end = Semaphore()
        // Before any other thread is started, so that all of them leave the signals to this one.
        let interruption = try Interruption { end.signal() }
        let folder = try Self.makeFolder()
        defer { Self.remove(folder) }
        configuration.databasePath = folder + "/humon.sqlite3"
        if isSeeded {
            try await SeedCommand(configuration: configuration, output: .error)
                .run(isRepeated: false)
        }
        guard interruption.signal == nil else { return }
        let logger = try Composition.logger(configuration)
        defer { logger.close() }
        let storage = try Storage(configuration)
        defer { storage.close() }
        let passwordHasher = try Composition.passwordHasher(configuration)
        defer { passwordHasher.stop() }
        let server = try Composition.server(
            configuration,
            application: Composition.application(
                configuration,
                storage: storage,
                passwordHasher: passwordHasher,
                logger: logger
            ),
            storage: storage,
            logger: logger
        )
        defer { server.stop() }
        announce(port: server.port)
        try Thread {
            Self.waitForEndOfInput(); end.signal()
        }.detach()
        end.wait(atMostMilliseconds: nil)
    }

    private func announce(port: UInt16) {
        let host = configuration.host.contains(":") ? "[\(configuration.host)]" : configuration.host
        var json = JSONWriter()
        json.object {
            $0.field("url", "http://\(host):\(port)")
            $0.field("secret", configuration.appSecrets.first ?? "")
            $0.field("pid", Int64(getpid()))
        }
        Terminal.output.write(String(decoding: json.bytes, as: UTF8.self) + "\n")
    }

    private static func waitForEndOfInput() {
        var input = try? InputFile(path: "-", chunkBytes: chunkBytes)
        var bytes: [UInt8] = []
        while (try? input?.read(into: &bytes)) == true { bytes.removeAll(keepingCapacity: true) }
    }

    private static func makeFolder() throws -> String {
        let parent = unsafe getenv("TMPDIR").map { unsafe String(cString: $0) } ?? ""
        let template = (parent.isEmpty ? "/tmp" : parent) + "/humon-test-XXXXXX"
        guard let pattern = unsafe strdup(template) else { throw FileError.last(path: template) }
        defer { unsafe free(pattern) }
        guard unsafe mkdtemp(pattern) != nil else { throw FileError.last(path: template) }
        return unsafe String(cString: pattern)
    }

    /// Removes the folder and the files in it.
    private static func remove(_ folder: String) {
        for name in FilePath.names(in: folder) { unsafe unlink(folder + "/" + name) }
        unsafe rmdir(folder)
    }
}
