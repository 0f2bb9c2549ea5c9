import HTTP
import Model
import Rules
import Sodium
import Time

/// The stores, the settings and the shared parts of all controllers.
@dynamicMemberLookup
struct Services: Sendable {
    let passwordHasher: PasswordHasher
    let limiter: RequestLimiter?
    let limits: APILimits
    let authentication: Authentication
    let accountAuthentication: AccountAuthentication
    let zones = TimeZoneCatalog()
    let pages: PagesController
    let openEndHours: Int
    let searchesText: Bool
    let hasMap: Bool
    private let stores: Stores

    init(
        stores: Stores,
        passwordHasher: PasswordHasher,
        settings: ApplicationSettings,
        limiter: RequestLimiter?,
        limits: APILimits
    ) {
        self.stores = stores
        self.passwordHasher = passwordHasher
        self.limiter = limiter
        self.limits = limits
        authentication = Authentication(users: stores.users, settings: settings, limiter: limiter)
        accountAuthentication = AccountAuthentication(accounts: stores.accounts, limiter: limiter)
        pages = PagesController(settings)
        openEndHours = settings.openEndHours
        searchesText = settings.searchesText
        hasMap = settings.map != nil
    }

    /// Returns the response with what everybody can see, or else with what the request's user can.
    ///
    /// A record that the user can't see takes the same time as one that doesn't exist.
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
        if let record = try await find(nil) { return try await respond(record) }
        guard let viewer = try await authentication.viewer(of: call.request),
            let record = try await find(viewer)
        else { throw RequestError.notFound }
        var response = try await respond(record)
        response.headers.vary(on: Authentication.viewerFields)
        return response
    }

    /// Returns one of the stores.
    subscript<Store>(dynamicMember store: KeyPath<Stores, Store>) -> Store {
        stores[keyPath: store]
    }
}
