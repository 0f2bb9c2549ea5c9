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
    static let all = page + api

    private static let page = [
        AdminRoute(.get, "/", nil, .open { AdminPageController(services: $0).index }),
        AdminRoute(.get, "/page.css", nil, .open { AdminPageController(services: $0).style }),
        AdminRoute(.get, "/admin/:file", nil, .open { AdminPageController(services: $0).file }),
        AdminRoute(.get, "/map/:file", nil, .open { AdminPageController(services: $0).mapFile }),
    ]

    private static let api = [
        AdminRoute(
            .post,
            "/admin/v1/sessions",
            .adminSignIn,
            .open { AdminSessionsController(services: $0).create }
        ),
        .admin(.delete, "/sessions/current", .adminSignOut) {
            AdminSessionsController(services: $0).destroy
        },
    ]
}
