import Foundation
package import HTTP
import HTTPServer
import Humon
package import Logging
package import Model
import Operations
package import Settings
import Sodium
import Time
import Web

/// Runs `body` with a server that has an empty database of its own, both gone afterwards.
///
/// Throws what `body` throws, and `LeakError` if the log held a credential.
package func withServer(
    _ driver: Driver,
    on storage: TestStorage = .ofEnvironment,
    secrets: [String] = [TestServer.secret],
    allowsLegacySignUp: Bool = false,
    systems: Set<ServedSystem> = Set(ServedSystem.allCases),
    logFormat: LogFormat = .json,
    limits: Limits = Limits(),
    verifier: (any IdentityVerifier)? = TestVerifier(),
    configure: (inout Configuration) -> Void = { _ in },
    _ body: (TestServer) async throws -> Void
) async throws {
    await Permits.servers.acquire()
    defer { Permits.servers.release() }
    var configuration = Configuration(coreCount: 2, isTerminal: false)
    configuration.port = 0
    configuration.appSecrets = secrets
    configuration.allowsLegacySignUp = allowsLegacySignUp
    configuration.systems = systems
    configuration.logFormat = logFormat
    configuration.limits = limits
    configuration.durability = .off
    // However slow the machine is, a spec that counts lines finds those that it expects.
    configuration.slowMilliseconds = 3_600_000
    configure(&configuration)
    let server = try TestServer(driver, storage, configuration, verifier)
    // Some headers differ while events are loaded.
    _ = try? await server.stores.changes.latest()
    do {
        try await body(server)
    } catch {
        await server.stop()
        throw error
    }
    let log = try server.log()
    await server.stop()
    try server.credentials.check(log, for: configuration.appSecrets)
}

/// The application on a database of its own, and a client of it.
package final class TestServer: Sendable {
    /// The app's secret, unless a spec says otherwise.
    package static let secret = "kept-between-app-and-server"

    let credentials = CredentialWatch()
    private let folder: TemporaryFolder
    private let database: ServedDatabase
    private let configuration: Configuration
    private let storage: any Storage
    package let logger: Logger
    private let passwordHasher: PasswordHasher
    private let client: any Client
    private let application: Application
    private let hasIssuers: Bool

    fileprivate init(
        _ driver: Driver,
        _ storage: TestStorage,
        _ settings: Configuration,
        _ verifier: (any IdentityVerifier)?
    ) throws {
        hasIssuers = verifier != nil
        folder = try TemporaryFolder()
        database = try ServedDatabase(storage, in: folder)
        var configuration = settings
        database.apply(to: &configuration)
        self.configuration = configuration
        self.storage = try Databases.open(configuration, for: .serving)
        logger = try Logger(
            level: .info,
            format: configuration.logFormat,
            descriptor: folder.logDescriptor
        )
        passwordHasher = try Composition.passwordHasher(configuration)
        application = Composition.application(
            configuration,
            verifier: verifier,
            storage: self.storage,
            passwordHasher: passwordHasher,
            logger: logger
        )
        client =
            switch driver {
            case .inProcess: InProcessClient(application, limits: configuration.limits)
            case .socket:
                SocketClient(
                    try Composition.server(
                        configuration,
                        application: application,
                        storage: self.storage,
                        logger: logger
                    )
                )
            }
    }

    /// The answer to a request.
    ///
    /// Throws `LeakError` if it holds a credential and does not answer a sign-up, and
    /// `ContractError` if the API's description does not know such an answer.
    package func send(_ request: TestRequest) async throws -> Answer {
        let answer = try await client.send(request)
        try inspect(answer, to: request)
        return answer
    }

    /// The answers to requests that are all under way at once.
    package func sendAtOnce(_ requests: [TestRequest]) async throws -> [Answer] {
        let answers = try await client.sendAtOnce(requests)
        for (request, answer) in zip(requests, answers) {
            try inspect(answer, to: request)
        }
        return answers
    }

    /// Sends a request for a stream over a new connection, and returns it.
    package func stream(_ target: String, as user: TestUser? = nil) throws -> SocketConnection {
        guard let client = client as? SocketClient else { throw ProtocolError("no socket") }
        let connection = try client.connect()
        try connection.send(TestRequest("GET", target, as: user).bytes)
        return connection
    }

    private func inspect(_ answer: Answer, to request: TestRequest) throws {
        try credentials.inspect(answer, to: request)
        try APIContract.of(
            configuration.systems,
            hasMap: configuration.hasMap,
            hasIssuers: hasIssuers
        )
        .check(answer, to: request)
    }

    /// The application's stores.
    package var stores: Stores { storage.stores }

    /// The metrics of streams and changes, without comments.
    package var streamMetrics: [String] {
        var text = MetricsText()
        application.streams.append(to: &text)
        return String(decoding: text.bytes, as: UTF8.self).split(separator: "\n")
            .filter { !$0.hasPrefix("#") }.map(String.init)
    }

    /// Returns an admin server beside this one, which must be a real one; `clock` is that of its
    /// limits.
    func admin(
        _ driver: Driver,
        _ clock: ManualClock,
        _ otherBackups: (any AdminBackups)?
    ) throws -> AdminServer {
        guard let client = client as? SocketClient else { throw ProtocolError("no server") }
        let engine = try Databases.engine(for: configuration)
        let backups =
            configuration.postgresqlURL == nil
            ? try ScheduledBackups(configuration, of: engine, logger: logger) : nil
        let monitoring = Monitoring(
            configuration: configuration,
            requests: application.metrics,
            reports: application.reportMetrics,
            signIns: application.signInMetrics,
            writes: application.writeMetrics,
            streams: { _ in },
            storage: storage,
            passwordHasher: passwordHasher,
            server: client.server,
            backups: backups,
            logger: logger
        )
        var surroundings = Composition.adminSurroundings(
            ResolvedConfiguration(configuration),
            monitoring
        )
        surroundings.now = { clock.microseconds }
        if let otherBackups { surroundings.backups = otherBackups }
        let admin = AdminApplication(
            beside: application,
            surroundings,
            version: "1.2.3"
        )
        let endpoint = Endpoint.address(host: "127.0.0.1", port: 0)
        return AdminServer(
            api: self,
            stores: storage.stores,
            clock: clock,
            application: admin,
            client: driver == .inProcess
                ? InProcessClient(admin, limits: Composition.adminLimits)
                : SocketClient(try Composition.adminServer(at: endpoint, admin, storage, logger)),
            backups: backups
        ) { [configuration] in
            let now = Timestamp.now()
            let name = BackupName.name(at: now)
            try FileManager.default.createDirectory(
                atPath: configuration.backupFolder,
                withIntermediateDirectories: true
            )
            _ = try BackupFile(of: engine, with: engine.makeCopier())
                .write(to: configuration.backupFolder + "/" + name, began: now, number: 1)
            return name
        }
    }

    /// Does what the operator can do about a user's token.
    package func revokeToken(of user: TestUser) async throws {
        try await storage.stores.signIns.revokeTokens(of: user.id, device: nil, by: "cli:ana")
    }

    /// Does what the operator can do about an event or a user.
    package func perform(_ action: AdminAction, _ record: ReportedRecord) async throws {
        try await storage.stores.moderation.perform(action, record, by: "cli:ana")
    }

    /// The first column of every row, read by a connection of its own; `json_array` makes one
    /// column of several.
    package func rows(_ sql: StaticString) throws -> [String] { try database.rows(sql) }

    /// Changes the database behind the application's back, by a connection of its own.
    package func change(_ sql: StaticString) throws { try database.change(sql) }

    /// The number of passwords that were hashed or checked.
    package var totalHashes: Int { passwordHasher.totalHashes }

    /// Every byte that the database has on the disk.
    package func databaseBytes() throws -> [UInt8] { try database.bytes() }

    /// What the log says so far.
    package func log() throws -> String {
        logger.flush()
        return try String(contentsOfFile: folder.logPath, encoding: .utf8)
    }

    /// Ends what runs and closes the database.
    fileprivate func stop() async {
        // Both calls block until threads have ended, and may need one of the pool's to do so.
        await withCheckedContinuation { continuation in
            Foundation.Thread.detachNewThread { [client, passwordHasher, storage, logger] in
                client.stop()
                passwordHasher.stop()
                storage.close()
                // Before its descriptor is closed, whose number the next test gets.
                logger.close()
                continuation.resume()
            }
        }
    }
}
