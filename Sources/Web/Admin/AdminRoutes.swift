import HTTP
import Logging

/// The table of the routes of the admin server.
enum AdminRoutes {
    /// Returns the routes for monitoring.
    static func probes(_ surroundings: AdminSurroundings) -> [AdminRoute] {
        [
            AdminRoute(.get, "/healthz", nil, .probe { HealthView.response([]) }),
            AdminRoute(
                .get,
                "/readyz",
                nil,
                .probe { HealthView.response(await surroundings.readiness()) }
            ),
            AdminRoute(
                .get,
                "/metrics",
                nil,
                .probe {
                    var text = MetricsText()
                    await surroundings.measure(&text)
                    let type = "text/plain; version=0.0.4; charset=utf-8"
                    return Response(.ok, headers: ["content-type": type], body: text.bytes)
                }
            ),
        ]
    }

    /// The routes of the page and of its API.
    static let all = page + api + events + users + accounts + backups

    private static let page: [AdminRoute] = [
        .open(.get, "/", nil, AdminPageController.index),
        .open(.get, "/page.css", nil, AdminPageController.style),
        .open(.get, "/admin/:file", nil, AdminPageController.file),
        .open(.get, "/map/:file", nil, AdminPageController.mapFile),
        .open(.get, "/admin/v1/openapi.json", nil, AdminPageController.description),
    ]

    private static let api: [AdminRoute] = [
        .open(.post, "/admin/v1/sessions", .adminSignIn, AdminSessionsController.create),
        .admin(.delete, "/sessions/current", .adminSignOut, AdminSessionsController.destroy),
        .admin(.get, "/overview", .adminOverview, AdminOverviewController.show),
        .admin(.get, "/settings", .adminSettings, AdminOverviewController.settings),
        .admin(.get, "/reports", .adminReports, AdminReportsController.index),
        .admin(.post, "/reports/resolve", .adminResolve, AdminReportsController.resolve),
        .admin(.get, "/actions", .adminActions, AdminOverviewController.actions),
        .admin(.post, "/actions/:id/undo", .adminUndo, AdminOverviewController.undo),
    ]

    private static let events: [AdminRoute] = [
        .admin(.get, "/events", .adminEvents) { services in
            { try await AdminEventsController(services: services.api).index($0.call) }
        },
        .admin(.get, "/events/:id", .adminEvent) { services in
            { try await AdminEventsController(services: services.api).show($0.call) }
        },
        .admin(.patch, "/events/:id", .adminEditEvent, AdminEventWritesController.update),
        .admin(.delete, "/events/:id", .adminDeleteEvent, AdminEventWritesController.destroy),
        .admin(.post, "/events/:id/hide", .adminHideEvent, AdminEventWritesController.hide),
        .admin(.post, "/events/:id/show", .adminShowEvent, AdminEventWritesController.show),
    ]

    private static let users: [AdminRoute] = [
        .admin(.get, "/users", .adminUsers, AdminUsersController.index),
        .admin(.get, "/users/:id", .adminUser, AdminUsersController.show),
        .admin(.delete, "/users/:id", .adminDeleteUser, AdminUsersController.destroy),
        .admin(.post, "/users/:id/ban", .adminBan, AdminUsersController.ban),
        .admin(.post, "/users/:id/unban", .adminUnban, AdminUsersController.unban),
        .admin(.post, "/users/:id/revoke", .adminRevoke, AdminUsersController.revoke),
    ]

    private static let accounts: [AdminRoute] = [
        .admin(.get, "/accounts", .adminAccounts, AdminAccountsController.index),
        .admin(.delete, "/accounts/:id", .adminDeleteAccount, AdminAccountsController.destroy),
        .admin(.post, "/accounts/:id/reset-password", .adminReset, AdminAccountsController.reset),
        .admin(.post, "/accounts/:id/sign-out", .adminEndSessions, AdminAccountsController.signOut),
    ]

    private static let backups: [AdminRoute] = [
        .admin(.get, "/backups", .adminBackups, AdminBackupsController.index),
        .admin(.post, "/backups", .adminBackUp, AdminBackupsController.create),
        .admin(.post, "/backups/:name/link", .adminLinkBackup, AdminBackupsController.createLink),
        .open(.get, "/admin/v1/backups/:name", .adminDownload, AdminBackupsController.show),
    ]
}

extension AdminRoutes {
    /// The description of the admin API.
    static var description: Document {
        Document(
            title: "Humon admin",
            version: "1",
            meaning: """
                The API of the admin page, on ADMIN_PORT. Errors are JSON with a message. A write \
                that can be undone has the header Humon-Action.
                """,
            contactEmail: nil,
            termsURL: nil,
            tags: [(name: "Admin", meaning: "What an operator sees and does.")],
            endpoints: all.compactMap { route in
                route.operation.map { operation in
                    let own = operation.responses.map { $0.status.code }
                    let common = commonResponses.filter { !own.contains($0.status.code) }
                    return (
                        route.method, route.pattern, "Admin",
                        operation.adding(responses: common)
                    )
                }
            },
            webhooks: nil
        )
    }

    /// The responses that are possible for every operation.
    ///
    /// Requests of admins have no ids, because they are not logged.
    private static var commonResponses: [PossibleResponse] {
        let own: [PossibleResponse] = [
            .error(.forbidden, "The host is in ADMIN_HOSTS, which need HTTPS by a trusted proxy."),
            .error(.misdirectedRequest, "The host is not in ADMIN_HOSTS."),
            .invalid("The values are invalid.", "Limit must be less than or equal to 200"),
            .error(.unsupportedMediaType, "The body is not JSON, or has a Content-Encoding."),
        ]
        let others = ErrorShape.message.responses(ofPath: .message).filter { response in
            !own.contains { $0.status.code == response.status.code }
        }
        return own + others.map { $0.removing(header: ResponseHeader.requestID.name) }
    }
}
