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

    /// Returns one of the stores.
    subscript<Store>(dynamicMember store: KeyPath<Stores, Store>) -> Store {
        stores[keyPath: store]
    }
}
