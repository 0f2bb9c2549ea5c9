import HTTP
import HTTPServer
import Logging
import SQLite
import Sodium

/// `humon serve`: serves until SIGTERM or SIGINT.
struct ServeCommand {
    /// What the log says in the place of an address that somebody else has chosen.
    private static let inherited = "inherited socket"

    let configuration: Configuration

    /// Blocks the calling thread for as long as the server runs.
    func run() throws {
        // Before any thread is started, so that all of them leave the signals to this one.
        let signals = TerminationSignals(ofServer: Terminal.error.isInteractive)
        let sockets = try inheritedSockets()
        let logger = try Composition.logger(configuration)
        defer { logger.close() }
        removeAbandonedDrafts()
        let storage = try Storage(configuration) { event in Self.log(event, logger) }
        let passwordHasher = try Composition.passwordHasher(configuration)
        let application = Composition.application(
            configuration,
            storage: storage,
            passwordHasher: passwordHasher,
            logger: logger
        )
        let server: Server
        do {
            server = try Composition.server(
                configuration,
                inheritedSocket: sockets.apps,
                application: application,
                storage: storage,
                logger: logger
            )
        } catch {
            storage.close()
            throw error
        }
        announce(server, at: sockets.apps == nil ? configuration.host : Self.inherited, logger)
        let backups = scheduledBackups(logger)
        let adminServer = adminServer(
            at: adminEndpoint(sockets),
            Monitoring(
                configuration: configuration,
                application: application,
                storage: storage,
                passwordHasher: passwordHasher,
                server: server,
                backups: backups,
                logger: logger
            ),
            logger
        )
        ServiceManager.notifyReady()
        let name = signals.wait { name in
            logger.log(
                .info,
                "signal ignored: send SIGTERM to stop, and restart to apply new settings",
                LogField("signal", name)
            )
        }
        ServiceManager.notifyStopping()
        logger.log(.info, "stopping", LogField("signal", name))
        // First of all, because it only takes from what the requests need.
        backups?.stop()
        server.stop()
        adminServer?.stop()
        passwordHasher.stop()
        storage.close()
        logger.log(.info, "stopped")
    }

    /// Says where the server listens.
    private func announce(_ server: Server, at host: String, _ logger: Logger) {
        logger.log(
            .info,
            "listening",
            LogField("host", host),
            LogField("port", String(server.port)),
            LogField("version", Version.current),
            LogField("database", configuration.databasePath)
        )
        if server.connectionLimit < configuration.limits.connections {
            logger.log(
                .warning,
                "too few descriptors for LIMIT_CONNECTIONS: raise LimitNOFILE or lower it",
                LogField("connections", String(server.connectionLimit))
            )
        }
    }

    private static func log(_ event: WriterEvent, _ logger: Logger) {
        switch event {
        case .filesLost(let cause):
            logger.log(
                .error,
                "writes refused: put the file back, or stop the server",
                LogField("cause", cause)
            )
        case .filesFound:
            logger.log(.info, "writes accepted again: the database's files are back")
        }
    }

    /// Removes what a restore left behind that was killed.
    private func removeAbandonedDrafts() {
        let path = FilePath.resolved(configuration.databasePath)
        Draft.removeAbandoned(in: FilePath.folder(of: path)) { $0 == FilePath.name(of: path) }
    }

    /// What makes backups when they are due; without it, which is only logged, the apps are served
    /// all the same.
    private func scheduledBackups(_ logger: Logger) -> ScheduledBackups? {
        do {
            return try ScheduledBackups(configuration, logger: logger)
        } catch {
            logger.log(
                .error,
                "no scheduled backups: there is no thread for them; restart the server",
                LogField("cause", "\(error)")
            )
            return nil
        }
    }

    /// The sockets that somebody else has opened; throws if they can't be made sense of.
    private func inheritedSockets() throws(CommandError) -> ServiceManager.InheritedSockets {
        let sockets = ServiceManager.inheritedSockets
        guard sockets.isReadable else {
            throw CommandError("LISTEN_FDS must be a number from 1 to 64, or not be set.")
        }
        guard sockets.unusedCount == 0 else {
            throw CommandError(
                "There are more sockets than can be served: pass one, and one called admin."
            )
        }
        return sockets
    }

    /// Where the server for administration listens, on the loopback address alone unless somebody
    /// else has opened a socket for it; nil for nowhere.
    private func adminEndpoint(_ sockets: ServiceManager.InheritedSockets) -> Endpoint? {
        if let descriptor = sockets.admin { return .descriptor(descriptor) }
        return configuration.adminPort.map { .address(host: "127.0.0.1", port: $0) }
    }

    /// The server that tells how this one is; without it, which is only logged, the apps are served
    /// all the same.
    private func adminServer(
        at endpoint: Endpoint?,
        _ monitoring: Monitoring,
        _ logger: Logger
    ) -> Server? {
        guard let endpoint else { return nil }
        do {
            let server = try Composition.adminServer(at: endpoint, monitoring)
            let host = if case .address(let host, _) = endpoint { host } else { Self.inherited }
            logger.log(
                .info,
                "listening for administration",
                LogField("host", host),
                LogField("port", String(server.port))
            )
            return server
        } catch {
            logger.log(
                .warning,
                "no administration: set ADMIN_PORT to a free port, or to off",
                LogField("cause", "\(error)")
            )
            return nil
        }
    }
}
