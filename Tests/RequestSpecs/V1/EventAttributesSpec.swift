import Support
import Testing

/// The attributes that apps can add to an event.
@Suite struct EventAttributesSpec {
    private static let details = #"""
        "description":"Two sets.\nBring a friend, it's free.",\#
        "url":"https://jazz.example.com/late",\#
        "image_url":"https://images.example.com/late.jpg","category":"music",\#
        "tags":["jazz","live music"],"series_id":"late-jazz-2026","data":{"price":5.00}
        """#
    private static let sent = #"""
        {"name":"Late jazz","address":"Pier 7","lat":37.7984,"lon":-122.3967,\#
        "started_at":"2026-06-02T03:00:00Z","ended_at":"2026-06-02T05:00:00Z",\#
        "description":"Two sets.\nBring a friend, it's free.",\#
        "url":"https://jazz.example.com/late",\#
        "image_url":"https://images.example.com/late.jpg","category":"Music",\#
        "tags":["Jazz"," #Live  music","JAZZ"],"series_id":"late-jazz-2026",\#
        "data":{ "price": 5.00 }}
        """#
    private static let rows: StaticString = """
        SELECT json_array(description, url, image_url, category, tags, series_id, data)
        FROM events ORDER BY id
        """
    private static let none = "[null,null,null,null,null,null,null]"

    private static func event(_ details: String) -> String {
        #"{"address":"Pier 7","ended_at":"2026-06-02T05:00:00.000Z","id":1,"lat":37.7984,"#
            + #""lon":-122.3967,"name":"Late jazz","started_at":"2026-06-02T03:00:00.000Z","#
            + #""owner":{"id":1}"# + (details.isEmpty ? "" : "," + details) + "}"
    }

    @Test(arguments: Driver.allCases)
    func `stores them in their normal form, and shows them by id and in searches`(
        driver: Driver
    ) async throws {
        try await withServer(driver) { server in
            let user = try await server.signUp()

            let answer = try await server.post("/v1/events", as: user, body: Self.sent)

            #expect(answer == .id(1))
            #expect(
                try server.rows(Self.rows) == [
                    #"["Two sets.\nBring a friend, it's free.","https://jazz.example.com/late","#
                        + #""https://images.example.com/late.jpg","music","jazz,live music","#
                        + #""late-jazz-2026","{\"price\":5.00}"]"#
                ]
            )
            let event = Self.event(Self.details)
            #expect(try await server.get("/v1/events/1").body == event)
            #expect(
                try await server.get("/v1/events/nearests?lat=37.79&lon=-122.40").body
                    == "[\(event)]"
            )
            #expect(
                try await server.get("/v1/events").body == #"{"events":[\#(event)],"next":null}"#
                    + "\n"
            )
            #expect(
                try await server.get("/v1/events?fields=id,url,tags,data").body
                    == #"{"events":[{"id":1,"url":"https://jazz.example.com/late","#
                    + #""tags":["jazz","live music"],"data":{"price":5.00}}],"next":null}"# + "\n"
            )
        }
    }

    @Test(arguments: Driver.allCases)
    func `takes them from forms`(driver: Driver) async throws {
        try await withServer(driver) { server in
            let user = try await server.signUp()
            let form = "name=a&lat=0&lon=0&started_at=2026-06-02T03%3A00%3A00Z"

            let answers = [
                try await server.post(
                    "/v1/events",
                    as: user,
                    body: form
                        + "&tags[]=jazz&tags[]=live%20music&tags=no&data=%7B%22a%22%3A%201%7D"
                ),
                try await server.post(
                    "/v1/events",
                    as: user,
                    body: form + "&tags=jazz,live+music,&category=A-1&data=&url="
                ),
            ]

            #expect(answers == [.id(1), .id(2)])
            #expect(
                try server.rows(Self.rows) == [
                    #"[null,null,null,null,"jazz,live music",null,"{\"a\":1}"]"#,
                    #"[null,null,null,"a-1","jazz,live music",null,null]"#,
                ]
            )
        }
    }

    @Test(arguments: Driver.allCases)
    func `keeps what a PATCH lacks, and clears null, blank and what a PUT lacks`(
        driver: Driver
    ) async throws {
        try await withServer(driver) { server in
            let user = try await server.signUp()
            _ = try await server.post("/v1/events", as: user, body: Self.sent)

            _ = try await server.patch("/v1/events/1", as: user, body: #"{"url":null,"tags":[]}"#)
            let patched = try server.rows(Self.rows)
            _ = try await server.patch(
                "/v1/events/1",
                as: user,
                body: "description=+&image_url=&category=&series_id=&tags[]="
            )
            let blanked = try server.rows(Self.rows)
            _ = try await server.put("/v1/events/1", as: user, body: eventJSON())

            #expect(
                patched == [
                    #"["Two sets.\nBring a friend, it's free.",null,"#
                        + #""https://images.example.com/late.jpg","music",null,"#
                        + #""late-jazz-2026","{\"price\":5.00}"]"#
                ]
            )
            #expect(blanked == [#"[null,null,null,null,null,null,"{\"price\":5.00}"]"#])
            #expect(try server.rows(Self.rows) == [Self.none])
        }
    }

    @Test(
        arguments: Driver.allCases,
        [
            ("description", #""a""#, #""b""#), ("url", #""http://a""#, #""http://b""#),
            ("image_url", #""http://a""#, #""http://b""#), ("category", #""a""#, #""b""#),
            ("tags", #"["a"]"#, #"["b","\u0301c"]"#), ("all_day", "true", "true"),
            ("status", #""cancelled""#, #""postponed""#), ("series_id", #""a""#, #""b""#),
            ("data", "{}", #"{"a":1}"#),
        ]
    )
    func `changes and clears each alone`(
        driver: Driver,
        attribute: (key: String, first: String, second: String)
    ) async throws {
        try await withServer(driver) { server in
            let user = try await server.signUp()
            let complete = #"{"name":"a","lat":0,"lon":0,"started_at":"2026-06-02""#
            let path = "/v1/events/1"
            func detail() async throws -> String {
                let body = try await server.get(path).body
                let parts = body.split(separator: #","owner":{"id":1}"#)
                return parts.count == 2 ? String(parts[1]) : "none"
            }
            func member(_ value: String) -> String { #""\#(attribute.key)":\#(value)}"# }
            _ = try await server.post("/v1/events", as: user, body: complete + "}")

            var details = [try await detail()]
            for body in [member(attribute.first), #""name":"b"}"#, member(attribute.second)] {
                _ = try await server.patch(path, as: user, body: "{" + body)
                details.append(try await detail())
            }
            _ = try await server.patch(path, as: user, body: "{" + member("null"))
            details.append(try await detail())
            let put = "\(complete),\(member(attribute.first))"
            for body in [put, complete + "}", put, "\(complete),\(member("\" \""))"] {
                _ = try await server.put(path, as: user, body: body)
                details.append(try await detail())
            }

            let (first, second) = (
                "," + member(attribute.first),
                "," + member(attribute.second.replacing(#"\u0301"#, with: "\u{301}"))
            )
            #expect(details == ["}", first, first, second, "}", first, "}", first, "}"])
        }
    }

    @Test(arguments: Driver.allCases)
    func `rejects values that break a rule, each with a sentence`(driver: Driver) async throws {
        try await withServer(driver) { server in
            let user = try await server.signUp()
            _ = try await server.post("/v1/events", as: user, body: eventJSON())
            let long = String(repeating: "é", count: 40)
            let bodies = [
                #"{"url":"ftp://a","category":"Live Music","data":[1]}"#,
                #"{"description":"\#(String(repeating: "é", count: 4001))"}"#,
                #"{"url":"http://\#(String(repeating: "a", count: 1994))"}"#,
                #"{"tags":[{}],"series_id":"\#(String(repeating: "a", count: 101))"}"#,
                #"{"tags":["a","b","c","d","e","f","g","h","i","j","k"]}"#,
                #"{"tags":["\#(String(repeating: "a", count: 51))"],"data":"{}"}"#,
                #"{"data":{"a":{"price":1,"price":2}}}"#,
                #"{"data":{"a":"\#(String(repeating: "a", count: 4089))"}}"#,
                "data[price]=5",
                "data[a][b]=5&data={}",
                "data[]=5&tags[]=a&tags[0]=b",
                "data=5",
                #"{"description":"\u0000","series_id":{}}"#,
                #"{"image_url":"//a.example/a.jpg"}"#,
                #"{"data":{"\#(long)1":1,"\#(long)1":2}}"#,
            ]

            var errors: [String] = []
            for body in bodies {
                let answer = try await server.patch("/v1/events/1", as: user, body: body)
                #expect(answer.status == 422)
                errors.append(answer.body)
            }

            let isNoObject = "Data must be a JSON object (in a form: its text)"
            #expect(
                errors
                    == [
                        [
                            "Url must be an absolute http or https URL",
                            "Category must be 1 to 40 letters a-z, digits and single hyphens, "
                                + "such as live-music", isNoObject,
                        ],
                        ["Description is too long (maximum is 4000 characters)"],
                        ["Url is too long (maximum is 2000 characters)"],
                        [
                            "Tags must be a list of texts",
                            "Series id is too long (maximum is 100 characters)",
                        ],
                        ["Tags has more than 10 values"],
                        [
                            "Tags must have 1 to 50 characters each, and no commas or control "
                                + "characters", isNoObject,
                        ],
                        ["Data has a key twice: price"],
                        ["Data is too large (maximum is 4096 bytes)"],
                        [isNoObject],
                        [isNoObject],
                        ["Tags must be a list of texts", isNoObject],
                        [isNoObject],
                        ["Description is invalid", "Series id is invalid"],
                        ["Image url must be an absolute http or https URL"],
                        ["Data has a key twice: \(long)"],
                    ].map { sentences in
                        #"{"message":"Validation Failed","errors":["#
                            + sentences.map { "\"\($0)\"" }.joined(separator: ",") + "]}"
                    }
            )
            #expect(try server.rows(Self.rows) == [Self.none])
        }
    }

    @Test(arguments: Driver.allCases)
    func `takes data from a form only if it can be sent back as JSON`(driver: Driver) async throws {
        try await withServer(driver) { server in
            let user = try await server.signUp()
            _ = try await server.post("/v1/events", as: user, body: eventJSON())
            func data(levels: Int) -> String {
                #"{"a":"# + String(repeating: "[", count: levels - 1)
                    + String(repeating: "]", count: levels - 1) + "}"
            }
            let path = "/v1/events/1"

            let deep = try await server.patch(path, as: user, body: "data=" + data(levels: 64))
            let stored = try await server.patch(path, as: user, body: "data=" + data(levels: 63))
            let body = try await server.get(path).body
            let returned = try await server.patch(path, as: user, body: body)

            #expect(deep == .invalid("Data must be a JSON object (in a form: its text)"))
            #expect([stored, returned] == [.id(1), .id(1)])
            #expect(try await server.get(path).body == body)
        }
    }

    @Test(arguments: Driver.allCases)
    func `shows only objects where another program stored data`(driver: Driver) async throws {
        try await withServer(driver) { server in
            let user = try await server.signUp()
            _ = try await server.post("/v1/events", as: user, body: Self.sent)

            try server.change("UPDATE events SET data = '{ \"b\" : [1, 2] }'")
            let spaced = try await server.get("/v1/events/1").body
            try server.change("UPDATE events SET data = '{broken'")
            let broken = try await server.get("/v1/events/1").body
            try server.change("UPDATE events SET status = 'sold out'")
            let table = try await server.get("/v1/events.csv?fields=id,status,data").body

            #expect(spaced.hasSuffix(#","series_id":"late-jazz-2026","data":{"b":[1,2]}}"#))
            #expect(broken.hasSuffix(#","series_id":"late-jazz-2026"}"#))
            #expect(table == "id,status,data\r\n1,,\r\n")
        }
    }

    // MARK: Status

    @Test(arguments: Driver.allCases)
    func `leaves out what does not take place, except by id and where it is asked for`(
        driver: Driver
    ) async throws {
        try await withServer(driver) { server in
            let user = try await server.signUp()
            for status in ["scheduled", "cancelled", "postponed"] {
                _ = try await server.post(
                    "/v1/events",
                    as: user,
                    body: "name=a&lat=1&lon=2&started_at=2026-06-02T03:00Z&status=\(status)"
                )
            }
            // Another program can store anything.
            _ = try await server.post("/v1/events", as: user, body: eventJSON())
            try server.change("UPDATE events SET status = 'sold out' WHERE id = 4")
            func ids(_ query: String, as user: TestUser? = nil) async throws -> String {
                try await server.get("/v1/events?fields=id&" + query, as: user).body
            }
            func page(_ ids: [Int]) -> String {
                let rows = ids.map { #"{"id":\#($0)}"# }.joined(separator: ",")
                return #"{"events":[\#(rows)],"next":null}"# + "\n"
            }

            #expect(
                try server.rows("SELECT coalesce(status, '-') FROM events ORDER BY id")
                    == ["-", "cancelled", "postponed", "sold out"]
            )
            #expect(try await ids("sort=id") == page([1, 4]))
            #expect(try await ids("sort=id&status=any") == page([1, 2, 3, 4]))
            #expect(try await ids("sort=id&status=postponed,cancelled") == page([2, 3]))
            #expect(try await ids("lat=1&lon=2&radius=1&status=cancelled") == page([2]))
            #expect(try await ids("bbox=1,0,3,2&status=postponed") == page([3]))
            #expect(try await ids("sort=id&owner=me", as: user) == page([1, 2, 3, 4]))
            #expect(try await ids("sort=id&owner=me&status=scheduled", as: user) == page([1, 4]))
            let nearests = try await server.get("/v1/events/nearests?lat=1&lon=2").body
            #expect(nearests.hasPrefix(#"[{"address":null,"ended_at":null,"id":1,"#))
            #expect(!nearests.contains("status"))
            #expect(
                try await server.get("/v1/events/2").body.hasSuffix(#","status":"cancelled"}"#)
            )
            #expect(!(try await server.get("/v1/events/4").body.contains("status")))
            let clusters = try await server.get(
                "/v1/events/clusters?bbox=1,0,3,2&zoom=0&status=cancelled,postponed"
            )
            #expect(clusters.body.hasPrefix(#"{"clusters":[{"count":2,"lat":1.0,"lon":2.0,"#))
            #expect(
                try await server.get("/v1/events?status=done").body
                    == #"{"message":"Validation Failed","errors":["Status must be any or among "#
                    + #"scheduled, cancelled, postponed"]}"#
            )
        }
    }

    @Test(arguments: Driver.allCases)
    func `marks them in calendars, feeds and text`(driver: Driver) async throws {
        try await withServer(driver) { server in
            let user = try await server.signUp()
            _ = try await server.post("/v1/events", as: user, body: Self.sent)
            _ = try await server.patch("/v1/events/1", as: user, body: "status=postponed")

            let calendar = try await server.get("/v1/events/1.ics").body
            let feed = try await server.get("/v1/events.atom?status=any").body
            let text = try await server.get("/v1/events.txt?status=any").body
            let table = try await server.get(
                "/v1/events.csv?status=any&fields=id,name,category,tags,status,data"
            ).body

            #expect(
                calendar.contains(
                    "\r\nDESCRIPTION:Two sets.\\nBring a friend\\, it's free.\r\n"
                        + "URL:https://jazz.example.com/late\r\n"
                        + "IMAGE;VALUE=URI;DISPLAY=BADGE:https://images.example.com/late.jpg\r\n"
                        + "CATEGORIES:music,jazz,live music\r\nSTATUS:TENTATIVE\r\n"
                        + "TRANSP:TRANSPARENT\r\nEND:VEVENT\r\n"
                )
            )
            #expect(feed.contains("<title>Postponed: Late jazz</title>"))
            #expect(
                feed.contains(
                    "</updated><link rel=\"alternate\" href=\"https://jazz.example.com/late\"/>"
                        + "<category term=\"music\"/><category term=\"jazz\"/>"
                        + "<category term=\"live music\"/><content type=\"text\">"
                        + "2026-06-02 03:00Z to 2026-06-02 05:00Z, Pier 7\n\n"
                        + "Two sets.\nBring a friend, it's free.</content>"
                )
            )
            #expect(text == "2026-06-02 03:00Z  #1  Late jazz, Pier 7 [postponed]\n")
            #expect(
                table == "id,name,category,tags,status,data\r\n"
                    + "1,Late jazz,music,\"jazz,live music\",postponed,\"{\"\"price\"\":5.00}\"\r\n"
            )
        }
    }
}
