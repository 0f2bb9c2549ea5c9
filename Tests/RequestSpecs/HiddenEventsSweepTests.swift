import HTTP
import Settings
import Model
import Support
import Testing
import Web

/// No route shows a hidden event, one of a banned owner or one of a blocked owner to those who may
/// not see it, in any representation.
@Suite struct HiddenEventsSweepTests {
    private enum Viewer: CaseIterable {
        case nobody, owner, banned, other, blocker, blockerByBasic, revoked, deleted
    }

    /// What a request asks for.
    private enum Target {
        /// Events that everybody sees.
        case list(String)
        /// The viewer's own events, in a representation that can say that one is hidden or not.
        case own(String, saysHidden: Bool)
        /// One event.
        case event(Int64, String, saysHidden: Bool)
        /// Nothing of an event.
        case none(String)
    }

    private static let hidden: Int64 = 1
    private static let ofBanned: Int64 = 2
    private static let ofBlocked: Int64 = 3
    private static let plain: Int64 = 4
    private static let names = [
        hidden: "Hidden-1", ofBanned: "Banned-2", ofBlocked: "Blocked-3", plain: "Plain-4",
    ]
    private static let place = "lat=37.8&lon=-122.4&radius=50"

    /// The requests of a route; nil for a route that this test doesn't know.
    private static func targets(_ pattern: String) -> [Target]? {
        let suffix = pattern.split(separator: ".").last.map(String.init) ?? ""
        switch pattern {
        case "/v1/events", "/v1/events.geojson", "/v1/events.ics", "/v1/events.atom",
            "/v1/events.csv", "/v1/events.txt":
            let saysHidden = pattern == "/v1/events" || suffix == "geojson"
            return [
                .list("\(pattern)?\(place)&limit=50"), .list("\(pattern)?sort=id&limit=50"),
                .list("\(pattern)?q=picnic&limit=50"),
                .list("\(pattern)?sort=-started_at&limit=50"),
                .list("\(pattern)?bbox=-123,37,-122,38&limit=50"),
                .own("\(pattern)?owner=me&limit=50", saysHidden: saysHidden),
                .own("\(pattern)?attendee=me&limit=50", saysHidden: saysHidden),
            ]
        case "/v1/changes/stream":
            return [
                .list("\(pattern)?\(place)"), .own("\(pattern)?mine=1", saysHidden: true),
            ]
        case "/v1/changes":
            return [
                .list("\(pattern)?\(place)&limit=50"),
                .own("\(pattern)?mine=1&limit=50", saysHidden: true),
            ]
        case "/v1/events/nearests", "/v1/events/nearest":
            return [.list("\(pattern)?\(place)")]
        case "/v1/events/clusters":
            return [
                .none("\(pattern)?bbox=-123,37,-122,38&zoom=3"),
                .own("\(pattern)?bbox=-123,37,-122,38&zoom=18&owner=me", saysHidden: true),
            ]
        case "/v1/events/:id", "/v1/events/:id.geojson", "/v1/events/:id.ics",
            "/v1/events/:id/attendances":
            return names.keys.sorted().map { id in
                let path = pattern.replacing(":id", with: String(id))
                return .event(id, path, saysHidden: suffix != "ics")
            }
        case "/v1/users/me", "/v1/users/me/blocks", "/v1/users/me/devices",
            "/v1/users/me/identities", "/v1/tasks", "/v1/tasks/:id", "/", "/docs",
            "/openapi.json", "/llms.txt", "/humon.js", "/humon.d.ts", "/map", "/map/:file",
            "/account/delete", "/api/checkins",
            "/api/categories", "/my_tasks/pending_tasks.php", "/~:name/my_tasks/pending_tasks.php",
            "/my_tasks/add_task.php", "/~:name/my_tasks/add_task.php",
            "/my_tasks/set_task_completed.php", "/~:name/my_tasks/set_task_completed.php":
            return [.none(pattern)]
        default: return nil
        }
    }

    @Test(arguments: Driver.allCases)
    func `shows each event only to those who may see it`(driver: Driver) async throws {
        try await withServer(driver, configure: { $0.limitsRates = false }) { server in
            let tokens = try await fill(server)
            let patterns = Routes.listing().filter { $0.method == .get }.map(\.pattern)
            for pattern in patterns {
                let targets = try #require(Self.targets(pattern), "\(pattern) has no entry")
                for target in targets {
                    for viewer in Viewer.allCases {
                        try await check(target, viewer, tokens[viewer], server)
                    }
                }
            }
        }
    }

    private func check(
        _ target: Target,
        _ viewer: Viewer,
        _ token: String?,
        _ server: TestServer
    ) async throws {
        let path =
            switch target {
            case .list(let path), .own(let path, _), .event(_, let path, _), .none(let path): path
            }
        let answer = try await server.get(path, fields(of: viewer, token))
        for (id, name) in Self.names {
            let mayAppear = mayAppear(id, in: target, to: viewer)
            if !mayAppear { #expect(!answer.body.contains(name), "\(path) for \(viewer)") }
            guard case .event(id, _, _) = target else { continue }
            #expect((answer.status == 200) == mayAppear, "\(path) for \(viewer)")
        }
        guard case .list = target else { return }
        #expect(answer.body.contains("Plain-4"), "\(path) for \(viewer)")
        let isBlocker = viewer == .blocker || viewer == .blockerByBasic
        #expect(answer.body.contains("Blocked-3") == !isBlocker, "\(path) for \(viewer)")
    }

    private func fields(of viewer: Viewer, _ token: String?) -> KeyValuePairs<String, String> {
        guard let token else { return [:] }
        guard viewer == .blockerByBasic else { return ["tb-device-token": token] }
        let credentials = Base64.encode(Array("phone:\(token)".utf8))
        return ["authorization": "Basic \(credentials)"]
    }

    private func mayAppear(_ id: Int64, in target: Target, to viewer: Viewer) -> Bool {
        let isOwner =
            id == Self.hidden && viewer == .owner || id == Self.ofBanned && viewer == .banned
        switch id {
        case Self.plain: return true
        case Self.ofBlocked: return viewer != .blocker && viewer != .blockerByBasic
        default:
            switch target {
            case .own(_, let saysHidden), .event(_, _, let saysHidden): return isOwner && saysHidden
            case .list, .none: return false
            }
        }
    }

    /// Makes the users and their events, and returns the tokens of the viewers.
    private func fill(_ server: TestServer) async throws -> [Viewer: String] {
        var users: [TestUser] = []
        for _ in 1...7 { users.append(try await server.signUp()) }
        for (user, id) in zip(users, [Self.hidden, Self.ofBanned, Self.ofBlocked, Self.plain]) {
            let name = "\"\(Self.names[id] ?? "") picnic\""
            try await server.createEvent(by: user, ["name": name, "lat": "37.8", "lon": "-122.4"])
            try await server.attend(id, as: users[4])
            try await server.attend(id, as: user)
        }
        _ = try await server.post("/v1/users/me/blocks", as: users[4], body: "user[id]=3")
        try await server.perform(.hide, .event(Self.hidden))
        try await server.perform(.ban, .user(users[1].id))
        try await server.revokeToken(of: users[5])
        _ = try await server.delete("/v1/users/me", as: users[6])
        return [
            .owner: users[0].token, .banned: users[1].token, .other: users[3].token,
            .blocker: users[4].token, .blockerByBasic: users[4].token, .revoked: users[5].token,
            .deleted: users[6].token,
        ]
    }
}
