@testable import HTTP
import JSON
import Logging
import Model
import Rules
import Sodium
import Support

@testable import Web

/// Calls the controller of events for admins on a server's stores.
struct AdminEventsClient {
    private let controller: AdminEventsController
    private let router: Router

    init(_ server: TestServer) throws {
        let services = Services(
            stores: server.stores,
            passwordHasher: try PasswordHasher(threads: 1, queueLimit: 1),
            settings: ApplicationSettings(
                appSecrets: [],
                allowsLegacySignUp: false,
                systems: [.humon]
            ),
            limiter: nil,
            limits: APILimits(),
            reports: ReportNotice(logger: server.logger, metrics: ReportMetrics(reasons: []))
        )
        controller = AdminEventsController(services: services)
        var router = Router()
        router.on(.get, "/admin/v1/events")
        router.on(.get, "/admin/v1/events/:id")
        self.router = router
    }

    /// The answer to GET of a path behind `/admin/v1/events`.
    func get(_ target: String) async throws -> Answer {
        let parts = "/admin/v1/events\(target)".split(separator: "?", maxSplits: 1)
            .map(String.init)
        let query = parts.count == 2 ? parts[1] : nil
        let request = Request(method: .get, path: parts[0], query: query)
        guard case .found(let route, let path) = router.resolve(.get, request.path) else {
            throw SetupError(answer: .notFound)
        }
        let call = Call(request: request, path: path, limits: APILimits(), proxies: [])
        var response: Response
        do {
            response =
                route == 0
                ? try await controller.index(call) : try await controller.show(call)
        } catch {
            response = ErrorResponse(for: error).response(in: .message)
        }
        var fields: [String: String] = [:]
        for name in ["content-type", "etag"] { fields[name] = response.headers[name] }
        return Answer(
            response.status.code,
            fields,
            body: String(decoding: response.body, as: UTF8.self)
        )
    }

    /// The events that a search finds, such as `2 admin 1` for a hidden one with an open report,
    /// and the cursor of the next page.
    func found(_ query: String) async throws -> (events: [String], next: String?) {
        let answer = try await get("?\(query)")
        guard case .object(let page) = try JSONParser.parse(answer.body.utf8.span, maximumDepth: 8),
            case .array(let items) = page["items"], answer.status == 200
        else { throw SetupError(answer: answer) }
        let events = items.map { item in
            guard case .object(let event) = item else { return "?" }
            let values = ["id", "hidden", "reports"].compactMap { key in
                switch event[key] {
                case .number(let text), .string(let text): text
                case .boolean(let value): "\(value)"
                default: nil as String?
                }
            }
            return values.joined(separator: " ")
        }
        guard case .string(let next) = page["next"] else { return (events, nil) }
        return (events, next)
    }
}
