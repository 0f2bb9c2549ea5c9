import Events
import HTTP
import Logging
import Model
import Rules
import Sodium
import System
import Time

/// The stores, the settings and the shared parts of all controllers.
@dynamicMemberLookup
struct Services: Sendable {
    let passwordHasher: PasswordHasher
    let limiter: RequestLimiter?
    let limits: APILimits
    private(set) var authentication: Authentication
    private(set) var accountAuthentication: AccountAuthentication
    let zones = TimeZoneCatalog()
    let pages: PagesController
    /// Tells the operator of reports.
    let reports: ReportNotice
    /// Tells the operator of sign-ins.
    let signInNotice: SignInNotice?
    let settings: ApplicationSettings
    let streamPlaces: StreamPlaces
    let liveChanges: any LiveChanges
    /// The tokens that belonged to a person when they were last looked up for a write that can be
    /// repeated.
    let seenTokens = BoundedSet<TokenDigest>(capacity: 16_384)
    /// Counts the uses of idempotency keys.
    let writeMetrics: LabelledTotals?
    private var stores: Stores

    init(
        stores: Stores,
        passwordHasher: PasswordHasher,
        settings: ApplicationSettings,
        limiter: RequestLimiter?,
        limits: APILimits,
        reports: ReportNotice,
        signInNotice: SignInNotice? = nil,
        writeMetrics: LabelledTotals? = nil
    ) {
        self.stores = stores
        self.passwordHasher = passwordHasher
        self.limiter = limiter
        self.limits = limits
        authentication = Authentication(
            users: stores.users,
            signIns: stores.signIns,
            settings: settings,
            limiter: limiter
        )
        accountAuthentication = AccountAuthentication(accounts: stores.accounts, limiter: limiter)
        pages = PagesController(settings)
        self.reports = reports
        self.signInNotice = signInNotice
        self.writeMetrics = writeMetrics
        self.settings = settings
        let live = stores.changes.live()
        liveChanges = live
        streamPlaces = StreamPlaces(settings.streams) { live.oldestUnread }
    }

    var systems: Set<ServedSystem> { settings.systems }

    /// Returns the services with stores that take part in a transaction.
    func joining(_ stores: Stores) -> Services {
        var services = self
        services.stores = stores
        services.authentication = authentication.joining(stores)
        services.accountAuthentication = accountAuthentication.joining(stores)
        return services
    }

    /// Returns the response with what everybody can see, or else with what the request's user can.
    ///
    /// For a user who blocks others, that is what this user can see. A record that the user can't
    /// see takes the same time as one that doesn't exist.
    ///
    /// - Parameters:
    ///   - call: The request.
    ///   - find: Finds the record for a user, or for anybody if the id is nil.
    ///   - respond: Makes the response with it.
    /// - Returns: The response.
    /// - Throws: `RequestError.notFound` if there is no such record.
    func response<Record>(
        to call: Call,
        finding find: (_ viewer: Int64?) async throws -> Record?,
        _ respond: (Record) async throws -> Response
    ) async throws -> Response {
        let token = authentication.viewerToken(of: call.request)
        var isBlocker = false
        if let token { isBlocker = try await stores.events.isBlocker(token) }
        if !isBlocker, let record = try await find(nil) { return try await respond(record) }
        return try await response(toViewerOf: call, finding: find, respond)
    }

    /// Returns the response with what the request's user can see.
    ///
    /// The parameters and errors are those of `response`.
    func response<Record>(
        toViewerOf call: Call,
        finding find: (_ viewer: Int64?) async throws -> Record?,
        _ respond: (Record) async throws -> Response
    ) async throws -> Response {
        guard authentication.viewerToken(of: call.request) != nil else {
            throw RequestError.notFound
        }
        // With an unknown token, the record may be one of those that everybody can see.
        let viewer = try await authentication.viewer(of: call.request)
        guard let record = try await find(viewer) else { throw RequestError.notFound }
        var response = try await respond(record)
        response.headers.vary(on: Authentication.viewerFields)
        return response
    }

    /// Returns the values that the validation of a query for events depends on, now.
    ///
    /// `maximumLimit` is the number of events in a response; nil for the usual one.
    func parameterContext(
        maximumLimit: Int? = nil,
        allowsFields: Bool = false,
        isForAdmin: Bool = false,
        cursor: @escaping (String) -> EventParameterContext.Cursor = { _ in .invalid }
    ) -> EventParameterContext {
        EventParameterContext(
            now: .now(),
            zones: zones,
            maximumLimit: maximumLimit ?? limits.results,
            openEndHours: settings.openEndHours,
            searchesText: settings.searchesText,
            allowsFields: allowsFields,
            isForAdmin: isForAdmin,
            cursor: cursor
        )
    }

    /// Returns one of the stores.
    subscript<Store>(dynamicMember store: KeyPath<Stores, Store>) -> Store {
        stores[keyPath: store]
    }
}
