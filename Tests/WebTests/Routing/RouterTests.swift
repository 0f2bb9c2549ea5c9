import HTTP
import Web
import Testing

@Suite struct RouterTests {
    /// The method and pattern of each route, whether it accepts a suffix, and its name.
    private static let table: [(HTTP.Method, String, Bool, String)] = [
        (.get, "/", true, "root"),
        (.post, "/v1/users", true, "users.create"),
        (.get, "/v1/events/nearests", true, "nearests.index"),
        (.get, "/v1/events/:id", true, "events.show"),
        (.delete, "/v1/events/:id", true, "events.destroy"),
        (.get, "/v1/events/:event_id/attendances", true, "attendances.index"),
        (.get, "/v1/events/nearests/by/:order", true, "nearests.ordered"),
        (.get, "/v1/events/:id/by/hand", true, "events.by_hand"),
        (.post, "/my_tasks/add_task.php", true, "tasks.create"),
        (.post, "/~:name/my_tasks/add_task.php", true, "tasks.create_for"),
        (.get, "/openapi.json", true, "openapi"),
        (.get, "/files/:path", true, "files.show"),
        (Method("BREW"), "/pot", true, "pot.brew"),
        (.head, "/pot", true, "pot.look"),
        (.get, "/pot", true, "pot.show"),
        (.options, "/asked", true, "asked.options"),
        (.get, "/:any/both", true, "any.both"),
        (.get, "/~:name/both", true, "name.both"),
        (.get, "/:any/one", true, "any.one"),
        (.get, "/list", true, "list"),
        (.get, "/list.ics", false, "list.ics"),
        (.get, "/lists/:id", true, "lists.show"),
        (.get, "/lists/all", true, "lists.all"),
        (.get, "/lists/all.ics", false, "lists.ics"),
        (.get, "/lists/:id.ics", true, "lists.show.ics"),
    ]
    private static let router = {
        var router = Router()
        for (method, pattern, acceptsSuffix, _) in table {
            router.on(method, pattern, acceptsSuffix: acceptsSuffix)
        }
        return router
    }()

    @Test(
        arguments: [
            ("GET", "/", "root /"), ("POST", "/v1/users", "users.create /v1/users"),
            ("POST", "/v1/users.json", "users.create /v1/users"),
            ("POST", "/v1/users/", "users.create /v1/users"),
            ("POST", "/v1/users.json/", "users.create /v1/users"),
            ("GET", "/v1/events/nearests", "nearests.index /v1/events/nearests"),
            ("GET", "/v1/events/nearests.json", "nearests.index /v1/events/nearests"),
            ("GET", "/v1/events/nearest%73", "nearests.index /v1/events/nearests"),
            (
                "GET", "/v1/events/nearests/by/date",
                "nearests.ordered /v1/events/nearests/by/:order order=date"
            ),
            (
                "GET", "/v1/events/nearests/by/hand",
                "nearests.ordered /v1/events/nearests/by/:order order=hand"
            ),
            (
                "GET", "/v1/events/nearests/attendances",
                "attendances.index /v1/events/:event_id/attendances event_id=nearests"
            ),
            ("GET", "/v1/events/1", "events.show /v1/events/:id id=1"),
            ("GET", "/v1/events/1.json", "events.show /v1/events/:id id=1"),
            ("GET", "/v1/events/1/", "events.show /v1/events/:id id=1"),
            ("GET", "/v1/events/1%2Ejson", "events.show /v1/events/:id id=1"),
            ("GET", "/v1/events/a%2Fb%20c", "events.show /v1/events/:id id=a/b c"),
            ("GET", "/v1/events/S%C3%A1", "events.show /v1/events/:id id=Sá"),
            ("GET", "/v1/events/1.json.json", "events.show /v1/events/:id id=1.json"),
            ("HEAD", "/v1/events/1", "events.show /v1/events/:id id=1"),
            ("DELETE", "/v1/events/1", "events.destroy /v1/events/:id id=1"),
            (
                "GET", "/v1/events/1/attendances.json",
                "attendances.index /v1/events/:event_id/attendances event_id=1"
            ),
            (
                "GET", "/v1/events/1.json/attendances",
                "attendances.index /v1/events/:event_id/attendances event_id=1.json"
            ),
            ("GET", "/v1/events/1/by/hand", "events.by_hand /v1/events/:id/by/hand id=1"),
            ("POST", "/my_tasks/add_task.php", "tasks.create /my_tasks/add_task.php"),
            (
                "POST", "/~ana/my_tasks/add_task.php",
                "tasks.create_for /~:name/my_tasks/add_task.php name=ana"
            ),
            (
                "POST", "/%7Eana/my_tasks/add_task.php",
                "tasks.create_for /~:name/my_tasks/add_task.php name=ana"
            ),
            ("GET", "/openapi.json", "openapi /openapi.json"),
            ("GET", "/openapi.json.json", "openapi /openapi.json"),
            ("HEAD", "/pot", "pot.look /pot"), ("BREW", "/pot", "pot.brew /pot"),
            ("OPTIONS", "/asked", "asked.options /asked"),
            ("GET", "/~ana/both", "name.both /~:name/both name=ana"),
            ("GET", "/ana/both", "any.both /:any/both any=ana"),
            ("GET", "/~ana/one", "any.one /:any/one any=~ana"),
            ("GET", "/list.json/", "list /list"), ("GET", "/list.ics/", "list.ics /list.ics"),
            ("GET", "/lists/all.ics", "lists.ics /lists/all.ics"),
            ("GET", "/lists/1.ics", "lists.show.ics /lists/:id.ics id=1"),
            // Of a path with a suffix of its own, `.json` is a part of the parameter.
            ("GET", "/lists/all.ics.json", "lists.show /lists/:id id=all.ics"),
            ("GET", "/lists/1.ics.json", "lists.show /lists/:id id=1.ics"),
        ]
    )
    func `finds a handler`(method: String, path: String, expected: String) {
        #expect(Self.resolve(method, path) == expected)
    }

    @Test(
        arguments: [
            "", "*", "v1/users", "//", "/v1", "/v1/", "/v1//users", "/v1/users//", "//v1/users",
            "/v1/users/x", "/v1/users.json.json", "/v1/users.JSON", "/v1/users.xml", "/V1/users",
            "/v1/events/", "/v1/events", "/v1/events/.json", "/v1/events/%zz", "/v1/events/%C3",
            "/v1/events/1/by", "/v1/events/1//attendances", "/~/my_tasks/add_task.php", "/openapi",
            "/.json", "/files/a/b", "/v1/events/%", "/v1/userss", "/v1/user",
            "/list.ics.json", "/list.ics.json/", "/list.json.json", "/list.ics.ics",
        ]
    )
    func `finds nothing`(path: String) {
        #expect(Self.resolve("GET", path) == "not found")
        #expect(Self.resolve("POST", path) == "not found")
    }

    @Test(
        arguments: [
            ("PUT", "/v1/events/1", "not allowed: GET, HEAD, DELETE, OPTIONS"),
            ("DELETE", "/v1/events/nearests", "not allowed: GET, HEAD, OPTIONS"),
            ("HEAD", "/v1/users", "not allowed: POST, OPTIONS"),
            ("BREW", "/v1/users", "not allowed: POST, OPTIONS"),
            ("get", "/v1/events/1", "not allowed: GET, HEAD, DELETE, OPTIONS"),
            ("POST", "/pot", "not allowed: GET, HEAD, BREW, OPTIONS"),
            ("GET", "/asked", "not allowed: OPTIONS"),
            ("OPTIONS", "/v1/events/1", "options: GET, HEAD, DELETE, OPTIONS"),
            ("OPTIONS", "/v1/users.json", "options: POST, OPTIONS"),
            ("OPTIONS", "/nowhere", "not found"),
            ("OPTIONS", "*", "options: GET, HEAD, POST, DELETE, BREW, OPTIONS"),
        ]
    )
    func `says which methods a path has`(method: String, path: String, expected: String) {
        #expect(Self.resolve(method, path) == expected)
    }

    @Test func `has nothing to offer while it is empty`() {
        let router = Router()

        #expect(Self.describe(router.resolve(.get, "/")) == "not found")
        #expect(Self.describe(router.resolve(.options, "*")) == "options: OPTIONS")
    }

    @Test func `ends the program for two routes of one method and pattern`() async {
        await #expect(processExitsWith: .failure) {
            var router = Router()
            router.on(.get, "/a/:b")
            router.on(.get, "/a/:c")
        }
    }

    @Test(arguments: ["", "a", "/a/", "//", "/:"])
    func `ends the program for a malformed pattern`(pattern: String) async {
        await #expect(processExitsWith: .failure) { [pattern] in
            var router = Router()
            router.on(.get, pattern)
        }
    }

    private static func resolve(_ method: String, _ path: String) -> String {
        describe(router.resolve(Method(method), path))
    }

    private static func describe(_ resolution: Resolution) -> String {
        switch resolution {
        case .found(let route, let parameters):
            let (_, pattern, _, name) = table[route]
            let names = ["id", "event_id", "order", "name", "path", "any"]
            let values = names.compactMap { name in parameters[name].map { " \(name)=\($0)" } }
            return "\(name) \(pattern)" + values.joined()
        case .options(let allow): return "options: \(allow)"
        case .methodNotAllowed(let allow, _, _): return "not allowed: \(allow)"
        case .notFound: return "not found"
        }
    }
}
