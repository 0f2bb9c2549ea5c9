import Events
package import HTTP
package import HTTPServer
package import Logging
package import Model
package import Operations
package import Settings
package import SignIn
package import Sodium
import System
package import Web
import Webhooks

/// The one place where all layers meet: from settings to an application and a server.
package enum Composition {
    /// Creates the logger of a configuration; throws `ThreadError` if its thread can't be started.
    package static func logger(_ configuration: Configuration) throws -> Logger {
        try Logger(
            level: configuration.logLevel,
            format: configuration.logFormat,
            bufferBytes: configuration.logBufferBytes
        )
    }

    /// Creates the password hasher, with one thread for each worker.
    package static func passwordHasher(_ configuration: Configuration) throws -> PasswordHasher {
        try PasswordHasher(
            threads: configuration.workers,
            queueLimit: configuration.hashingLimits.queuedPasswords
        )
    }

    /// Creates the verifier of ID tokens, or returns nil if AUTH_ISSUERS is off.
    ///
    /// Throws `SignInLibraryError` if a library is missing.
    package static func idTokenVerifier(
        _ configuration: Configuration,
        logger: Logger? = nil
    ) throws -> IDTokenVerifier? {
        guard !configuration.issuers.isEmpty else { return nil }
        return try IDTokenVerifier(
            configuration.issuers,
            refreshMinutes: configuration.keyRefreshMinutes,
            authorities: configuration.authoritiesPath,
            logger: logger
        )
    }

    /// Returns what the delivery to webhooks depends on; nil without WEBHOOK_KEY.
    static func webhookSurroundings(
        _ configuration: Configuration,
        _ stores: Stores,
        send: @escaping WebhookSurroundings.Send
    ) -> WebhookSurroundings? {
        guard !configuration.webhookKey.isEmpty else { return nil }
        return WebhookSurroundings(
            webhooks: stores.webhooks,
            changes: stores.changes,
            node: Base64.encode(RandomBytes.make(count: 12)),
            signer: WebhookSigner(key: configuration.webhookKey),
            version: Version.current,
            filter: { try webhookFilter($0, configuration).filter },
            render: { content in
                WebhookView.json(
                    type: content.type,
                    timestamp: content.timestamp,
                    webhookID: content.webhookID,
                    changes: content.changes
                )
            },
            send: send
        )
    }

    /// Returns the filter of a webhook and its canonical text; throws `ModelError.invalid`.
    static func webhookFilter(
        _ text: String,
        _ configuration: Configuration
    ) throws -> (filter: EventFilter, text: String) {
        try RegionQuery.ofWebhook(
            text,
            openEndHours: configuration.openEndHours,
            searchesText: configuration.searchesText
        )
    }

    /// Creates the application that serves this storage.
    ///
    /// `verifier` is nil if no issuer is configured.
    package static func application(
        _ configuration: Configuration,
        verifier: (any IdentityVerifier)? = nil,
        storage: any Storage,
        passwordHasher: PasswordHasher,
        logger: Logger
    ) -> Application {
        var settings = ApplicationSettings(
            appSecrets: configuration.appSecrets,
            allowsLegacySignUp: configuration.allowsLegacySignUp,
            systems: configuration.systems
        )
        settings.rateLimits = configuration.limitsRates ? configuration.rateLimitsOfNode : nil
        settings.trustedProxies = configuration.trustedProxies
        settings.crossOrigins = configuration.crossOrigins
        settings.openEndHours = configuration.openEndHours
        settings.streams = configuration.streams
        settings.searchesText = configuration.searchesText
        let map = MapSettings(
            tiles: configuration.mapTiles,
            credit: configuration.mapCredit,
            imageHosts: configuration.mapImageHosts,
            searchesText: configuration.searchesText
        )
        settings.map = configuration.hasMap ? map : nil
        settings.contactEmail = configuration.contactEmail
        settings.termsURL = configuration.termsURL
        settings.appName = configuration.appName
        settings.verifier = verifier
        settings.slowMilliseconds = configuration.slowMilliseconds
        settings.changeHours = configuration.storageLimits.changeHours
        settings.responseHours = configuration.storageLimits.responseHours
        if let period = configuration.backupSchedule.periodMilliseconds {
            let days = (Int64(configuration.keptBackups) * period + 86_399_999) / 86_400_000
            // Those before upgrades, which only SQLite needs, are kept.
            settings.backupRetention = "for up to \(days) days, or until the operator deletes them"
        }
        settings.version = Version.current
        settings.guides = Version.guides
        return Application(
            stores: storage.stores,
            passwordHasher: passwordHasher,
            settings: settings,
            limits: configuration.apiLimits,
            logger: logger
        )
    }

    /// Starts a server for the application.
    ///
    /// `inheritedSocket` is a socket that the service manager has opened. Throws `ServerError`.
    package static func server(
        _ configuration: Configuration,
        inheritedSocket: Int32? = nil,
        application: Application,
        storage: any Storage,
        logger: Logger
    ) throws -> Server {
        var observer = observer(of: storage, logger)
        observer.acceptDidFail = { cause in
            logger.log(
                .warning,
                "new connections wait: raise LimitNOFILE, or free file descriptors or memory",
                ["cause": cause]
            )
        }
        observer.responsesWereGivenUp = { count in
            logger.log(
                .warning,
                "slow readers disconnected: unread responses exceed LIMIT_RESPONSE_MEMORY_MB",
                ["responses": String(count)]
            )
        }
        return try Server(
            ServerConfiguration(
                endpoint: inheritedSocket.map(Endpoint.descriptor)
                    ?? .address(host: configuration.host, port: configuration.port),
                loops: configuration.workers,
                limits: configuration.limits,
                proxies: configuration.trustedProxies,
                service: Service(
                    respond: { request in application.respond(to: request) },
                    refuse: { status, message, request in
                        application.refuse(status, message, of: request)
                    },
                    clientAddress: { request in application.clientAddress(of: request) }
                ),
                observer: observer
            )
        )
    }

    /// Returns the observer of loops whose threads read the storage and write to the log.
    private static func observer(of storage: any Storage, _ logger: Logger) -> LoopObserver {
        var observer = LoopObserver()
        observer.threadDidStart = {
            do {
                try storage.bindThread()
            } catch {
                // The thread uses the shared reader instead, which is only slower.
                logger.log(
                    .warning,
                    "an event loop shares a database reader, which is slower",
                    ["cause": "\(error)"]
                )
            }
        }
        observer.batchDidFinish = { storage.threadDidPause() }
        observer.loopDidSettle = {
            storage.threadDidSettle()
            logger.flushThread()
        }
        observer.threadWillStop = { storage.unbindThread() }
        return observer
    }

    /// The limits of the admin server.
    ///
    /// It stops after the API's server, so that health checks work during the shutdown. It drains
    /// only briefly, because monitoring tries again.
    package static let adminLimits = {
        var limits = Limits()
        limits.connections = 64
        limits.drainMilliseconds = 50
        limits.shutdownMilliseconds = 1_000
        limits.bodyBytes = 64 * 1024
        return limits
    }()

    /// Returns what the admin server needs from the program around it.
    package static func adminSurroundings(
        _ settings: ResolvedConfiguration,
        _ monitoring: Monitoring
    ) -> AdminSurroundings {
        let configuration = settings.configuration
        var surroundings = AdminSurroundings(
            readiness: monitoring.readiness,
            measure: monitoring.measure,
            overview: { await monitoring.overview(of: settings) }
        )
        surroundings.hosts = configuration.adminHosts
        surroundings.port = configuration.adminPort ?? surroundings.port
        surroundings.isPostgreSQL = configuration.postgresqlURL != nil
        surroundings.settings = Setting.all.map { setting in
            EffectiveSetting(
                name: setting.name,
                value: setting.text(configuration),
                origin: "\(settings.origin(of: setting))"
            )
        }
        surroundings.backups = monitoring.backups
        return surroundings
    }

    /// Starts the admin server, whose thread gives way to those that serve apps.
    package static func adminServer(
        at endpoint: Endpoint,
        _ admin: AdminApplication,
        _ storage: any Storage,
        _ logger: Logger
    ) throws -> Server {
        var observer = observer(of: storage, logger)
        observer.threadDidStart = { [bind = observer.threadDidStart] in
            // Searches and downloads of admins otherwise slow down apps while all cores are busy.
            POSIXThread.giveWay()
            bind()
        }
        return try Server(
            ServerConfiguration(
                endpoint: endpoint,
                loops: 1,
                limits: adminLimits,
                service: Service(
                    respond: { request in .later { await admin.respond(to: request) } },
                    refuse: { status, message, _ in admin.refuse(status, message) }
                ),
                observer: observer
            )
        )
    }
}
