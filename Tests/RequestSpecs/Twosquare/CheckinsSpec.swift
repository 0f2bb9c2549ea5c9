import Foundation
import Support
import Testing

/// Check-ins and categories of Twosquare, read with the app's eyes.
@Suite struct CheckinsSpec {
    private static let rows: StaticString = """
        SELECT json_array(id, name, category, rating, latitude, longitude, user_name, local_time)
        FROM checkins ORDER BY id
        """
    private static let body = """
        { "categoria" : "bar", "longitud" : -3.691944, "latitud" : 40.418889, "usuario" : "axel", \
        "calificacion" : 0, "nombre" : "Casa Lucio", "fechaCreacion" : "22Apr2012 13:21:55" }
        """

    private static func post(_ body: String) -> TestRequest {
        TestRequest(
            "POST",
            "/api/checkins",
            ["Content-Type": "application/x-www-form-urlencoded"],
            body: body
        )
    }

    /// What the app makes of an answer: an array of objects without null, or it crashes.
    private static func read(_ answer: Answer) throws -> [[String: Any]] {
        let value = try JSONSerialization.jsonObject(with: Data(answer.body.utf8))
        let list = try #require(value as? [[String: Any]])
        #expect(list.allSatisfy { !$0.values.contains { $0 is NSNull } })
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.dateFormat = "ddMMMyyyy HH:mm:ss"
        for checkin in list {
            let date = try #require(checkin["fechaCreacion"] as? String)
            #expect(formatter.date(from: date) != nil)
        }
        return list
    }

    @Test(arguments: Driver.allCases)
    func `stores a check-in and lists it`(driver: Driver) async throws {
        try await withServer(driver) { server in
            let answer = try await server.send(Self.post(Self.body))
            let list = try await server.get("/api/checkins")

            #expect(answer == Answer(200))
            #expect(
                list
                    == .found(
                        """
                        [{"nombre":"Casa Lucio","categoria":"bar","calificacion":0.0,\
                        "latitud":40.418889,"longitud":-3.691944,"usuario":"axel",\
                        "fechaCreacion":"22Apr2012 13:21:55","id":1}]
                        """
                    )
            )
            #expect(try Self.read(list).count == 1)
            #expect(
                try server.rows(Self.rows)
                    == [#"[1,"Casa Lucio","bar",0.0,40.418889,-3.691944,"axel",1335100915000]"#]
            )
        }
    }

    @Test(
        arguments: [
            (#"{}"#, "{%,\"id\":1}"),
            (#"{"categoria":"cine"}"#, #"{"categoria":"cine",%,"id":1}"#),
            (
                #"{"id":7,"nombre":null,"latitud":"abc","longitud":181,"usuario":["x"]}"#,
                #"{%,"id":1}"#
            ),
            (
                #"{"calificacion":"4.5","nombre":12,"latitud":"90"}"#,
                #"{"nombre":"12","calificacion":4.5,"latitud":90.0,%,"id":1}"#
            ),
            (#"{"fechaCreacion":"gestern"}"#, #"{%,"id":1}"#),
        ]
    )
    func `keeps a check-in of which fields are missing`(
        body: String,
        expected: String
    ) async throws {
        try await withServer(.inProcess) { server in
            #expect(try await server.send(Self.post(body)) == Answer(200))

            let list = try await server.get("/api/checkins")
            let date = try #require(Self.read(list).first?["fechaCreacion"] as? String)
            let member = #""fechaCreacion":"\#(date)""#
            #expect(list.body == "[\(expected.replacingOccurrences(of: "%", with: member))]")
        }
    }

    @Test(arguments: Driver.allCases, ["", "[]", #""x""#, "nombre=a", "7"])
    func `refuses what is no JSON object`(driver: Driver, body: String) async throws {
        try await withServer(driver) { server in
            let answer = try await server.send(Self.post(body))

            #expect(answer == .malformed("The body must be a JSON object."))
            #expect(try await server.get("/api/checkins") == .found("[]"))
            #expect(try server.rows(Self.rows) == [])
        }
    }

    @Test func `cuts a text that is too long`() async throws {
        try await withServer(.inProcess) { server in
            let long = String(repeating: "é", count: 300)
            #expect(try await server.send(Self.post(#"{"nombre":"\#(long)"}"#)) == Answer(200))

            let list = try Self.read(try await server.get("/api/checkins"))
            #expect(list.first?["nombre"] as? String == String(repeating: "é", count: 255))
        }
    }

    @Test func `lists the newest thousand, the oldest of them first`() async throws {
        try await withServer(.inProcess) { server in
            for number in 1...1003 {
                _ = try await server.send(Self.post(#"{"calificacion":\#(number)}"#))
            }

            let list = try Self.read(try await server.get("/api/checkins"))
            #expect(list.compactMap { $0["id"] as? Int } == Array(4...1003))
        }
    }

    @Test(arguments: Driver.allCases)
    func `lists the app's categories, then the others in use`(driver: Driver) async throws {
        try await withServer(driver) { server in
            let usual = try await server.get("/api/categories")
            for category in ["zoo", "", " ", "bar", "cine", "zoo"] {
                _ = try await server.send(Self.post(#"{"categoria":"\#(category)"}"#))
            }
            _ = try await server.send(Self.post("{}"))
            let all = try await server.get("/api/categories")

            let wrong = try await server.post("/api/categories")
            #expect(wrong == .notAllowed(allow: "GET, HEAD, OPTIONS"))
            #expect(usual == .found(#"["bar","restaurante","tienda"]"#))
            #expect(all == .found(#"["bar","restaurante","tienda","cine","zoo"]"#))
        }
    }
}
