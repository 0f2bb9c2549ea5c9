import Randomness
import Support

/// A value that each of two servers has made: a token or an entity tag.
struct ValuePair {
    let one: String
    let other: String
}

/// A request to two servers, in which only the values that they have made differ.
struct PairedRequest {
    typealias Field = (name: String, value: ValuePair)

    let method: String
    var target: String
    var fields: [Field] = []
    var body = ""

    /// Whether the response has times of creation, from which its entity tag is made.
    var showsCreation: Bool {
        let words = ["ics", "atom", "calendar", "created_at", "updated_at", "/tasks"]
        return ([target] + fields.map(\.value.one)).contains { text in
            words.contains { text.contains($0) }
        }
    }

    /// Whether it is a request for a page of events, or for clusters.
    var isSearch: Bool { target.wholeMatch(of: /\/v1\/events(\.\w+|\/|\/clusters)?\?.*/) != nil }

    func with(_ name: String, _ value: ValuePair) -> PairedRequest {
        var request = self
        request.fields.append((name: name, value: value))
        return request
    }

    func request(of server: KeyPath<ValuePair, String>) -> TestRequest {
        let lines = fields.map { "\($0.name): \($0.value[keyPath: server])\r\n" }.joined()
        return TestRequest(method, target, lines: lines, body: body)
    }
}

/// Requests to all endpoints, valid and not, that are the same for each seed.
struct RandomRequests {
    private var generator: SeededGenerator
    private var values: RandomValues
    private var searches: RandomSearches
    private var users: [ValuePair] = []
    private var accounts: [ValuePair] = []
    private var emails: [String] = []
    private var tags: [ValuePair] = []
    /// The greatest ids that may exist.
    private var (eventCount, attendanceCount, taskCount) = (0, 0, 0)

    init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
        values = RandomValues(seed: seed &+ 1000)
        searches = RandomSearches(seed: seed &+ 2000)
    }

    /// Remembers what an answer has made.
    mutating func learn(from answers: (Answer, Answer), to request: PairedRequest) {
        if let token = Self.value("auth_token", in: answers) { users.append(token) }
        if let token = Self.value("authentication_token", in: answers) { accounts.append(token) }
        if let one = answers.0.fields["etag"], let other = answers.1.fields["etag"] {
            tags.append(ValuePair(one: one, other: other))
        }
        if request.isSearch { searches.learn(from: answers, to: request) }
        guard request.method == "POST", answers.0.status == 200 else { return }
        switch request.target {
        case "/v1/events": eventCount += 1
        case "/v1/attendances": attendanceCount += 1
        case "/v1/tasks": taskCount += 1
        default: break
        }
    }

    private static func value(_ name: String, in answers: (Answer, Answer)) -> ValuePair? {
        func value(_ answer: Answer) -> String? {
            guard let start = answer.body.firstRange(of: "\"\(name)\":\"")?.upperBound else {
                return nil
            }
            return String(answer.body[start...].prefix { $0 != "\"" })
        }
        guard let one = value(answers.0), let other = value(answers.1) else { return nil }
        return ValuePair(one: one, other: other)
    }

    mutating func next() -> PairedRequest {
        if users.isEmpty, isRare(4) { return signUp() }
        switch generator.next() % 140 {
        case 0..<4: return signUp()
        case 4..<6: return todoSignUp()
        case 6..<8: return todoSignIn()
        case 8..<28: return withJSON("POST", "/v1/events", as: user(), event())
        case 28..<36: return changeEvent()
        case 36..<40: return eventRequest("DELETE")
        case 40..<50:
            let suffix = pick(["", "", ".json", ".ics", ".geojson"])
            return eventRequest(pick(["GET", "HEAD", "GET"]), suffix: suffix)
        case 50..<64: return nearest()
        case 64..<70: return attend()
        case 70..<72:
            return PairedRequest(
                method: "DELETE",
                target: "/v1/attendances/\(id(attendanceCount))",
                fields: user() + condition()
            )
        case 72:
            return PairedRequest(
                method: "GET",
                target: "/v1/users/me",
                fields: user() + condition()
            )
        case 73..<75:
            return PairedRequest(
                method: "GET",
                target: "/v1/events/\(id(eventCount))/attendances",
                fields: condition()
            )
        case 75..<86: return task()
        case 86..<90: return sharedTask()
        case 90..<95: return checkin()
        case 95..<127: return searches.search(as: user())
        case 127..<135: return searches.clusters(as: user())
        default: return odd()
        }
    }

    // MARK: The parts of requests

    private mutating func pick<T>(_ elements: [T]) -> T {
        elements[Int(generator.next() % UInt64(elements.count))]
    }

    private mutating func isRare(_ count: UInt64) -> Bool { generator.next() % count == 0 }

    private mutating func id(_ count: Int) -> String {
        if isRare(20) {
            return pick(["0", "-1", "x", "9223372036854775807", "99999999999999999999"])
        }
        return "\(1 + generator.next() % UInt64(count + 2))"
    }

    /// The field with a token, which is seldom missing or wrong.
    private mutating func user() -> [PairedRequest.Field] {
        guard !users.isEmpty, !isRare(15) else {
            return isRare(2) ? [] : [Self.field("tb-auth-token", "made-up")]
        }
        // One owns many events, which most changes and searches for own events need.
        return [(name: "tb-auth-token", value: isRare(2) ? users[0] : pick(users))]
    }

    private mutating func account() -> [PairedRequest.Field] {
        guard !accounts.isEmpty, !isRare(15) else {
            return isRare(2) ? [] : [Self.field("Authorization", "Bearer abc")]
        }
        let token = pick(accounts)
        let value = ValuePair(one: "Bearer \(token.one)", other: "Bearer \(token.other)")
        return [(name: "Authorization", value: value)]
    }

    private mutating func condition() -> [PairedRequest.Field] {
        guard isRare(3) else { return [] }
        let name = pick(["If-Match", "If-None-Match"])
        guard let latest = tags.last, !isRare(4) else {
            return [Self.field(name, pick(["*", "\"x\""]))]
        }
        return [(name: name, value: isRare(2) ? latest : pick(tags))]
    }

    private static func field(_ name: String, _ value: String) -> PairedRequest.Field {
        (name: name, value: ValuePair(one: value, other: value))
    }

    private func withJSON(
        _ method: String,
        _ target: String,
        as fields: [PairedRequest.Field],
        _ body: String
    ) -> PairedRequest {
        PairedRequest(
            method: method,
            target: target,
            fields: fields + [Self.field("Content-Type", "application/json")],
            body: body
        )
    }

    // MARK: Humon

    private mutating func signUp() -> PairedRequest {
        let secret = isRare(8) ? "wrong" : TestServer.secret
        let body = isRare(2) ? #"{"device_token":"\#(values.device())"}"# : "{}"
        return withJSON("POST", "/v1/users", as: [Self.field("tb-app-secret", secret)], body)
    }

    private mutating func event() -> String {
        var members: [String] = []
        for (name, value) in [
            ("lat", values.latitude()), ("lon", values.longitude()), ("name", values.text(255)),
            ("started_at", values.time()), ("address", values.text(1000)),
            ("ended_at", values.time()),
        ] where !isRare(25) {
            members.append(#""\#(name)":\#(value)"#)
        }
        for (name, value) in [
            ("description", values.text(4000)), ("category", values.category()),
            ("tags", values.tags()), ("series_id", values.text(100)),
            ("status", pick([#""cancelled""#, #""postponed""#, #""scheduled""#, "null"])),
        ] where isRare(3) {
            members.append(#""\#(name)":\#(value)"#)
        }
        return "{\(members.joined(separator: ","))}"
    }

    private mutating func changeEvent() -> PairedRequest {
        let member = pick([
            #""lat":\#(values.latitude())"#, #""lon":\#(values.longitude())"#,
            #""name":\#(values.text(255))"#, #""address":\#(values.text(1000))"#,
            #""ended_at":\#(values.time())"#, #""address":null"#,
        ])
        let isWhole = isRare(3)
        return withJSON(
            isWhole ? "PUT" : "PATCH",
            "/v1/events/\(id(eventCount))",
            as: user() + condition(),
            isWhole ? event() : "{\(member)}"
        )
    }

    private mutating func eventRequest(_ method: String, suffix: String = "") -> PairedRequest {
        PairedRequest(
            method: method,
            target: "/v1/events/\(id(eventCount))\(suffix)",
            fields: user() + condition()
        )
    }

    private mutating func nearest() -> PairedRequest {
        var query = "lat=\(values.latitude())&lon=\(values.longitude())"
        if !isRare(4) {
            query += "&radius=\(pick(["0", "0.5", "20", "500", "9000", "20100", "-1", "x", ""]))"
        }
        if !isRare(3) { query += "&limit=\(pick(["1", "2", "20", "1000", "0", "x", ""]))" }
        let path = pick(["nearests", "nearest"])
        return PairedRequest(
            method: "GET",
            target: "/v1/events/\(path)?\(query)".replacing("+", with: "%2B"),
            fields: condition()
        )
    }

    private mutating func attend() -> PairedRequest {
        let event = isRare(20) ? "null" : id(eventCount)
        return withJSON("POST", "/v1/attendances", as: user(), #"{"event":{"id":\#(event)}}"#)
    }

    // MARK: Todo

    private mutating func todoSignUp() -> PairedRequest {
        let known = emails.isEmpty || !isRare(4) ? nil : pick(emails)
        let email = known ?? values.email()
        emails.append(email)
        let password = isRare(6) ? "short" : "correct horse"
        let user = """
            {"user":{"email":"\(email)","password":"\(password)","name":\(values.text(255))}}
            """
        return withJSON("POST", "/v1/users", as: [], user)
    }

    private mutating func todoSignIn() -> PairedRequest {
        let email = emails.isEmpty || isRare(6) ? values.email() : pick(emails)
        let password = isRare(4) ? "incorrect" : "correct horse"
        let user = #"{"user":{"email":"\#(email)","password":"\#(password)"}}"#
        return withJSON("POST", "/v1/users/sign_in", as: [], user)
    }

    private mutating func task() -> PairedRequest {
        let account = account()
        let target = "/v1/tasks/\(id(taskCount))"
        switch generator.next() % 8 {
        case 0, 1: return PairedRequest(method: "GET", target: "/v1/tasks", fields: account)
        case 2:
            return PairedRequest(method: "GET", target: target, fields: account + condition())
        case 3:
            return PairedRequest(method: "DELETE", target: target, fields: account + condition())
        case 4, 5:
            let body =
                #"{"task":{"title":\#(values.text(255)),"completed":\#(pick(["0", "true"]))}}"#
            return withJSON("PUT", target, as: account + condition(), body)
        case 6 where isRare(20):
            return PairedRequest(method: "DELETE", target: "/v1/users/sign_out", fields: account)
        default:
            return withJSON(
                "POST",
                "/v1/tasks",
                as: account,
                #"{"task":{"title":\#(values.text(255))}}"#
            )
        }
    }

    // MARK: MyTasks and Twosquare

    private mutating func sharedTask() -> PairedRequest {
        let endpoint = pick(["add_task", "add_task", "set_task_completed", "pending_tasks"])
        let name = pick(["Milk", "%F0%9F%A5%9B", "a%26b", "", "%01"])
        let taskID = pick(["1", "2", "3", "-9223372036854775808", "x", ""])
        let path = pick(["", "", "/~ana", "/~%C3%A9"]) + "/my_tasks/\(endpoint).php"
        let form = "name=\(name)&taskID=\(taskID)"
        if isRare(3) { return PairedRequest(method: "GET", target: "\(path)?\(form)") }
        return PairedRequest(
            method: "POST",
            target: path,
            fields: [Self.field("Content-Type", "application/x-www-form-urlencoded")],
            body: form
        )
    }

    private mutating func checkin() -> PairedRequest {
        switch generator.next() % 4 {
        case 0: return PairedRequest(method: "GET", target: "/api/checkins")
        case 1: return PairedRequest(method: "GET", target: "/api/categories")
        default:
            let body = """
                {"nombre":\(values.text(255)),"categoria":\(values.text(20)),\
                "calificacion":\(values.number()),"latitud":\(values.latitude()),\
                "longitud":\(values.longitude()),"usuario":\(values.text(255)),\
                "fechaCreacion":"\(pick(["22Apr2012 13:21:55", "01Jan1960 00:00:00"]))"}
                """
            return withJSON("POST", "/api/checkins", as: [], body)
        }
    }

    // MARK: What no endpoint accepts

    private mutating func odd() -> PairedRequest {
        switch generator.next() % 4 {
        case 0: PairedRequest(method: "GET", target: pick(["/v2", "/v1/events/1/x", "/%00"]))
        case 1: PairedRequest(method: pick(["PUT", "PATCH", "GET"]), target: "/v1/users")
        case 2:
            withJSON("POST", "/v1/events", as: user(), pick(["{", "[]", "", "\"a\"", "{\"a\":1}"]))
        default:
            PairedRequest(
                method: "POST",
                target: "/v1/events",
                fields: user() + [Self.field("Content-Type", "text/plain")],
                body: "lat=1"
            )
        }
    }
}
