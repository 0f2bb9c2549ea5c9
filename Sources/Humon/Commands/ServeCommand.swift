import HTTP
import HTTPServer
import Logging
import Model
import Operations
import Rules
import Settings
import SignIn
import Sodium
import System
import Web
import Webhooks

/// `humon serve`: runs the server until SIGTERM or SIGINT.
struct ServeCommand: PlainCommand {
    static let description = CommandDescription(
        name: "serve",
        summary: "Start the server (the default)."
    )

    /// The text in the log instead of a host if the socket was inherited.
    private static let inherited = "inherited socket"

    func run(in context: CommandContext) throws -> ExitCode {
        let settings = try context.settings()
        try settings.checkServing()
        try UserChange.apply(settings.configuration)
        try run(settings)
        return .success
    }

    /// Runs the server; blocks until it has stopped.
    private func run(_ settings: ResolvedConfiguration) throws {
        let configuration = settings.configuration
        // Called before any thread starts, so that all threads inherit the signal mask.
        let signals = TerminationSignals(ofServer: Terminal.error.isInteractive)
        let sockets = try inheritedSockets()
        let logger = try Composition.logger(configuration)
        defer { logger.close() }
        removeAbandonedDrafts(try Databases.engine(for: configuration).files)
        let idTokenVerifier = try Composition.idTokenVerifier(configuration, logger: logger)
        let storage = try Databases.open(configuration, for: .serving) { event in
            let (level, message, fields) = Self.line(of: event)
            logger.log(level, message, fields)
        }
        let passwordHasher = try Composition.passwordHasher(configuration)
        let application = Composition.application(
            configuration,
            verifier: idTokenVerifier,
            storage: storage,
            passwordHasher: passwordHasher,
            logger: logger
        )
        let server = try closing(storage) {
            let server = try Composition.server(
                configuration,
                inheritedSocket: sockets.apps,
                application: application,
                storage: storage,
                logger: logger
            )
            try idTokenVerifier?.start()
            return server
        }
        announce(server, configuration, isInherited: sockets.apps != nil, logger)
        warn(about: settings, logger)
        let backups = scheduledBackups(configuration, logger)
        let webhooks = webhookDispatcher(configuration, storage.stores, logger)
        let monitoring = Monitoring(
            configuration: configuration,
            requests: application.metrics,
            reports: application.reportMetrics,
            signIns: application.signInMetrics,
            writes: application.writeMetrics,
            streams: { text in application.streams.append(to: &text) },
            storage: storage,
            passwordHasher: passwordHasher,
            server: server,
            backups: backups,
            idTokenVerifier: idTokenVerifier,
            webhooks: webhooks,
            logger: logger
        )
        let admin = AdminApplication(
            beside: application,
            Composition.adminSurroundings(settings, monitoring),
            version: Version.current
        )
        let adminEndpoint = adminEndpoint(sockets, configuration)
        let adminServer = adminServer(at: adminEndpoint, admin, storage, logger)
        waitForSignal(signals, logger)
        // Backups stop first, because they compete with the remaining requests for the disk.
        backups?.stop()
        webhooks.stop()
        server.stop()
        adminServer?.stop()
        admin.stop()
        idTokenVerifier?.stop()
        passwordHasher.stop()
        storage.close()
        logger.log(.info, "stopped")
    }

    /// Returns the result of `body`; closes the storage if it throws.
    private func closing<Result>(
        _ storage: any Storage,
        unless body: () throws -> Result
    ) throws -> Result {
        do {
            return try body()
        } catch {
            storage.close()
            throw error
        }
    }

    /// Announces that the server is ready; blocks until it has to stop.
    private func waitForSignal(_ signals: TerminationSignals, _ logger: Logger) {
        ServiceManager.notifyReady()
        let name = signals.wait { name in
            logger.log(
                .info,
                "signal ignored: send SIGTERM to stop; restart the server to apply new settings",
                ["signal": name]
            )
        }
        ServiceManager.notifyStopping()
        logger.log(.info, "stopping", ["signal": name])
    }

    /// Logs where the server listens.
    private func announce(
        _ server: Server,
        _ configuration: Configuration,
        isInherited: Bool,
        _ logger: Logger
    ) {
        logger.log(
            .info,
            "listening",
            [
                "host": isInherited ? Self.inherited : configuration.host,
                "port": String(server.port), "version": Version.current,
                "database": configuration.databaseName,
            ]
        )
        if server.connectionLimit < configuration.limits.connections {
            logger.log(
                .warning,
                "too few file descriptors: raise LimitNOFILE or lower LIMIT_CONNECTIONS",
                ["connections": String(server.connectionLimit)]
            )
        }
    }

    /// Logs which settings have no effect.
    private func warn(about settings: ResolvedConfiguration, _ logger: Logger) {
        for name in settings.ineffectiveNames {
            logger.log(
                .warning,
                "setting has no effect on a PostgreSQL database: remove it",
                ["setting": name]
            )
        }
        for name in settings.formerNames {
            logger.log(.warning, "setting has no effect any more: remove it", ["setting": name])
        }
        for stray in settings.strayValues {
            logger.log(
                .warning,
                "setting ignored: another program has set the variable",
                ["setting": stray.name, "value": stray.value, "advice": stray.advice]
            )
        }
    }

    /// Returns what the log says of an event.
    private static func line(of event: StorageEvent) -> (LogLevel, String, LogFields) {
        switch event {
        case .filesLost(let cause):
            (.error, "writes rejected: move the file back, or stop the server", ["cause": cause])
        case .filesFound: (.info, "writes accepted again: the database's files are back", [:])
        case .unreachable(let cause):
            (.error, "requests rejected: the database can't be reached", ["cause": cause])
        case .reachable:
            (.info, "requests accepted again: the database can be reached", [:])
        case .settingsRejected(let advice):
            (
                .warning, "the database rejects settings of connections: run these statements",
                ["sql": advice]
            )
        case .eventsLoaded(let bytes):
            if let memory = Machine.memoryBytes, bytes > memory / 2 {
                (
                    .warning,
                    "events take more than half of the memory: add memory, or lower "
                        + "LIMIT_EVENT_CACHE_MB",
                    ["events": ByteCount.text(bytes), "memory": ByteCount.text(memory)]
                )
            } else {
                (.debug, "events loaded", ["bytes": String(bytes)])
            }
        case .eventsNotKept(let cause):
            (.error, "events can't be loaded, so searches are rejected", ["cause": cause])
        case .backingUp(let path):
            (
                .info, "backing up before the migration: the server listens once both are done",
                ["file": path]
            )
        case .backedUp(let path):
            (
                .info,
                "backup made and verified: to go back, install the earlier version and run "
                    + "`humon restore` with this file",
                ["file": path]
            )
        case .migrating(let name, let events):
            (
                .info, "migrating: the server listens once this is done",
                ["migration": name, "events": String(events)]
            )
        }
    }

    /// Removes the drafts of a restore that was killed.
    private func removeAbandonedDrafts(_ files: any DatabaseFiles) {
        // A database without a file has no drafts either.
        guard !files.path.isEmpty else { return }
        let path = LocalFile.resolved(files.path)
        FileDraft.removeAbandoned(in: LocalFile.folder(of: path), companions: files.suffixes.all) {
            $0 == LocalFile.name(of: path)
        }
    }

    /// Starts the scheduled backups.
    ///
    /// If that fails, it is logged, and the server works without them.
    private func scheduledBackups(
        _ configuration: Configuration,
        _ logger: Logger
    ) -> ScheduledBackups? {
        guard configuration.postgresqlURL == nil else { return nil }
        do {
            return try ScheduledBackups(
                configuration,
                of: Databases.engine(for: configuration),
                logger: logger
            )
        } catch {
            logger.log(
                .error,
                "no scheduled backups: their thread didn't start; restart the server",
                ["cause": "\(error)"]
            )
            return nil
        }
    }

    /// Starts the delivery to webhooks.
    ///
    /// If that fails, it is logged, and the server works without it.
    private func webhookDispatcher(
        _ configuration: Configuration,
        _ stores: Stores,
        _ logger: Logger
    ) -> WebhookDispatcher {
        let dispatcher = WebhookDispatcher(
            stores.webhooks,
            Composition.webhookSurroundings(configuration, stores) { _, _, _ in
                throw CancellationError()
            },
            authorities: configuration.authoritiesPath,
            logger: logger
        )
        do {
            try dispatcher.start()
        } catch {
            logger.log(
                .error,
                "webhooks not delivered: their thread didn't start; restart the server",
                ["cause": "\(error)"]
            )
        }
        return dispatcher
    }

    /// Returns the sockets that the service manager passed; throws if they can't be used.
    private func inheritedSockets() throws(OperatorError) -> ServiceManager.InheritedSockets {
        let sockets = ServiceManager.inheritedSockets
        guard sockets.isReadable else {
            throw OperatorError("LISTEN_FDS must be a number from 1 to 64, or not be set.")
        }
        guard sockets.unusedCount == 0 else {
            throw OperatorError(
                "Too many sockets were passed. Pass one, and optionally one named \"admin\"."
            )
        }
        return sockets
    }

    /// Returns where the admin server listens, or nil if it is off.
    ///
    /// A socket that the service manager has passed for it takes precedence.
    private func adminEndpoint(
        _ sockets: ServiceManager.InheritedSockets,
        _ configuration: Configuration
    ) -> Endpoint? {
        if let descriptor = sockets.admin { return .descriptor(descriptor) }
        return configuration.adminPort.map { .address(host: configuration.adminHost, port: $0) }
    }

    /// Starts the admin server, which serves the admin page, health checks and metrics.
    ///
    /// If that fails, it is logged, and the server works without it.
    private func adminServer(
        at endpoint: Endpoint?,
        _ admin: AdminApplication,
        _ storage: any Storage,
        _ logger: Logger
    ) -> Server? {
        guard let endpoint else { return nil }
        do {
            let server = try Composition.adminServer(at: endpoint, admin, storage, logger)
            let host = if case .address(let host, _) = endpoint { host } else { Self.inherited }
            logger.log(.info, "admin port listening", ["host": host, "port": String(server.port)])
            return server
        } catch {
            logger.log(
                .warning,
                "no admin port: set ADMIN_PORT to a free port, or to off",
                ["cause": "\(error)"]
            )
            return nil
        }
    }
}
