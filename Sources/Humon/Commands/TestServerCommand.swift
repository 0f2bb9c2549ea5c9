import Glibc
import HTTPServer
import JSON
import Logging
import Model
import Settings
import SignIn
import Sodium
import System

/// `humon test-server`: serves a new database for the tests of an app, and deletes it at the end.
struct TestServerCommand: ProgramCommand {
    static let description = CommandDescription(
        name: "test-server",
        summary: "Serve a throw-away database for the tests of an app.",
        notes: [
            """
            Prints a line of JSON with url, secret and pid when it is ready. Ends when standard
            input is closed, so that no test leaves it behind, and on SIGTERM and SIGINT. It
            picks a free port, has no rate limits, and reads neither .env nor the environment.
            """
        ],
        options: [.init(name: "seed", meaning: "Add demo records.")]
    )

    /// The app secret that the apps under test send.
    private static let secret = "test-secret"
    /// The size of a read from standard input, whose content is ignored.
    private static let chunkBytes = 4096

    /// Whether it adds demo records.
    let isSeeded: Bool

    static func parse(_ arguments: Arguments) -> Self {
        Self(isSeeded: arguments.has("seed"))
    }

    func run(in context: CommandContext) async throws -> ExitCode {
        try await run(Self.configuration(flags: context.flags))
        return .success
    }

    /// Returns the defaults of test servers, which flags override.
    ///
    /// It ignores the environment and `.env`, so that it behaves the same on every machine.
    private static func configuration(flags: [String: String]) throws -> Configuration {
        var defaults = Configuration(coreCount: 1, isTerminal: Terminal.error.isInteractive)
        defaults.port = 0
        defaults.adminPort = nil
        defaults.appSecrets = [Self.secret]
        defaults.limitsRates = false
        defaults.durability = .off
        defaults.logLevel = .warning
        let resolved = try SettingSources(flags: flags).resolve(over: defaults)
        guard flags["DATABASE_URL"] == nil else {
            throw UsageError("`humon test-server` creates its own database. Omit --database-url.")
        }
        return resolved.configuration
    }

    /// Serves until standard input ends or SIGTERM or SIGINT arrives.
    ///
    /// It prints a line of JSON with `url`, `secret` and `pid` when it is ready.
    ///
    /// - Throws: Errors of the folder, the database or the port.
    private func run(_ configuration: Configuration) async throws {
        var configuration = configuration
        let end = Semaphore()
        // Called before any other thread starts, so that all threads inherit the signal mask.
        let interruption = try Interruption { end.signal() }
        let folder = try ScratchFolder()
        defer { folder.remove() }
        configuration.databasePath = folder.path + "/humon.sqlite3"
        if isSeeded {
            try await SeedCommand.seed(configuration, output: .error)
        }
        guard interruption.signal == nil else { return }
        let logger = try Composition.logger(configuration)
        defer { logger.close() }
        let storage = try Databases.open(configuration, for: .serving)
        defer { storage.close() }
        let passwordHasher = try Composition.passwordHasher(configuration)
        defer { passwordHasher.stop() }
        let idTokenVerifier = try Composition.idTokenVerifier(configuration, logger: logger)
        let server = try Composition.server(
            configuration,
            application: Composition.application(
                configuration,
                verifier: idTokenVerifier,
                storage: storage,
                passwordHasher: passwordHasher,
                logger: logger
            ),
            storage: storage,
            logger: logger
        )
        defer { server.stop() }
        try idTokenVerifier?.start()
        defer { idTokenVerifier?.stop() }
        Self.announce(configuration, port: server.port)
        try POSIXThread {
            Self.waitForEndOfInput(); end.signal()
        }.detach()
        end.wait(atMostMilliseconds: nil)
    }

    private static func announce(_ configuration: Configuration, port: UInt16) {
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
}
