import HTTP
import Settings
import Randomness
import StorageSupport
import Support
import Testing
import Web

/// Nobody but its owner and guests can tell that a private event exists.
///
/// One server has private events, and the other had the same ones and has deleted them. Whoever may
/// not see them gets the same responses from both, byte by byte.
@Suite struct PrivateEventsAreSilentTests {
    /// The ids of the private events and of their attendances; the owner is the user 1.
    private static let privateIDs = Array(21...26)
    private static let searches = 600

    /// What both servers have: the tokens of their users in the order of their ids.
    private struct Pair {
        let one: TestServer
        let other: TestServer
        /// The owner, a stranger, a guest who was removed, and a guest of nothing.
        let users: [(one: TestUser, other: TestUser)]
    }

    @Test(arguments: [1, 2] as [UInt64])
    func `answer searches of others as if they had been deleted`(seed: UInt64) async throws {
        try await withPair { pair in
            var searches = RandomSearches(seed: seed)
            var withRows = 0
            for number in 1...Self.searches {
                let viewer = number % 4
                let fields = viewer == 0 ? [] : Self.fields(of: pair.users[viewer])
                var request =
                    number % 7 == 0 ? searches.clusters(as: fields) : searches.search(as: fields)
                // Every tenth search names the owner of the private events.
                if number % 10 == 0 { request.target += "&owner=1&status=any" }
                let answers = (
                    try await pair.one.send(request.request(of: \.one)),
                    try await pair.other.send(request.request(of: \.other))
                )
                try #require(
                    answers.0 == answers.1,
                    "\(number): \(request.method) \(request.target)"
                )
                if answers.0.body.contains(#""lat""#) { withRows += 1 }
                searches.learn(from: answers, to: request)
            }
            #expect(withRows > 20)
        }
    }

    @Test func `answer all routes with their ids to others as if they had been deleted`()
        async throws
    {
        try await withPair { pair in
            let routes = Routes.listing().filter { route in
                ["/v1/events/:id", "/v1/attendances"].contains { route.pattern.hasPrefix($0) }
            }
            #expect(routes.count > 9)
            for route in routes {
                for id in Self.privateIDs + [27, 99] {
                    for user in [nil] + pair.users.dropFirst().map(Optional.some) {
                        try await compare(route.method.rawValue, route.pattern, id, user, pair)
                    }
                }
            }
            // Only then are they told apart: the owner sees them where they are.
            let owner = pair.users[0]
            #expect(try await pair.one.get("/v1/events/21", as: owner.one).status == 200)
            #expect(try await pair.other.get("/v1/events/21", as: owner.other) == .notFound)
        }
    }

    /// A server whose private events were public fails the tests above.
    @Test func `would be found out if they were public`() async throws {
        try await withPair { pair in
            try pair.one.change("UPDATE events SET visibility = NULL WHERE id = 21")

            let answers = (
                try await pair.one.get("/v1/events?limit=1000"),
                try await pair.other.get("/v1/events?limit=1000")
            )

            #expect(answers.0 != answers.1)
        }
    }

    /// Sends a request of a route to both servers, and compares the responses.
    private func compare(
        _ method: String,
        _ pattern: String,
        _ id: Int,
        _ user: (one: TestUser, other: TestUser)?,
        _ pair: Pair
    ) async throws {
        let path = pattern.replacing(":id", with: String(id))
        let bodies: [String] =
            switch pattern {
            case "/v1/attendances":
                [#"{"event":{"id":\#(id)}}"#, #"{"code":"7F3K-9QXD-M2TB-WH5C"}"#]
            default: ["", #"{"name":"x"}"#, eventJSON()]
            }
        for body in bodies {
            for header in ["X-None", "If-None-Match", "If-Match"] {
                let fields: KeyValuePairs = [header: "*"]
                let one = try await pair.one.send(method, path, as: user?.one, fields, body: body)
                let other = try await pair.other.send(
                    method,
                    path,
                    as: user?.other,
                    fields,
                    body: body
                )
                #expect(one == other, "\(method) \(path) \(body) \(header)")
                #expect(one.cacheControl == other.cacheControl)
                #expect(one.status >= 400 || !Self.privateIDs.contains(id), "\(method) \(path)")
            }
        }
    }

    private static func fields(
        of user: (one: TestUser, other: TestUser)
    ) -> [PairedRequest.Field] {
        [(name: "tb-device-token", value: ValuePair(one: user.one.token, other: user.other.token))]
    }

    /// Runs `body` with a server that has private events, and one that has deleted them.
    private func withPair(_ body: (Pair) async throws -> Void) async throws {
        try await withServer(.socket, configure: { $0.limitsRates = false }) { one in
            try await withServer(.socket, configure: { $0.limitsRates = false }) { other in
                let (first, second) = (try await fill(one), try await fill(other))
                for id in Self.privateIDs {
                    let answer = try await other.delete("/v1/events/\(id)", as: second[0])
                    #expect(answer == .noContent)
                }
                try await body(
                    Pair(one: one, other: other, users: zip(first, second).map { ($0, $1) })
                )
            }
        }
    }

    /// Makes four users, 20 public events, and private ones among them; returns the users.
    private func fill(_ server: TestServer) async throws -> [TestUser] {
        var users: [TestUser] = []
        for _ in 1...4 { users.append(try await server.signUp()) }
        var generator = SeededGenerator(seed: 7)
        for number in 1...26 {
            let isPrivate = number > 20
            try await server.createEvent(
                by: users[isPrivate ? 0 : number % 3],
                [
                    "lat": String(Double.random(in: 37...38.5, using: &generator)),
                    "lon": String(Double.random(in: -123 ... -122, using: &generator)),
                    "started_at": #""2013-09-\#(10 + number % 9)T02:00:00Z""#,
                    "visibility": isPrivate ? #""private""# : nil,
                ]
            )
        }
        for event in Self.privateIDs {
            let made = try await server.post("/v1/events/\(event)/invitation", as: users[0])
            let code = made.body.split(separator: "\"")[2 + 1]
            let joined = try await server.post(
                "/v1/attendances",
                as: users[2],
                body: #"{"code":"\#(code)"}"#
            )
            let id = try #require(joined.body.firstMatch(of: /"id":([0-9]+)/)).1
            #expect(try await server.delete("/v1/attendances/\(id)", as: users[0]) == .noContent)
            try await server.attend(Int64(event - 20), as: users[1])
        }
        // What differs between any two databases.
        try server.change(
            "UPDATE events SET created_at = 1767225600000, updated_at = 1767225600000"
        )
        try server.change("UPDATE installation SET uuid = '00000000-0000-4000-8000-000000000000'")
        return users
    }
}
