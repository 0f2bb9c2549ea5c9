import Foundation
import Support

extension TestServer {
    /// Creates the three events of the specification's examples: 1 of user 1, 2 and 3 of user 3.
    ///
    /// Returns users 1 to 3.
    func createExamples() async throws -> [TestUser] {
        let users = [try await signUp(), try await signUp(), try await signUp()]
        try await createEvent(
            by: users[0],
            [
                "lat": "37.76", "lon": "-122.43", "name": #""Picnic""#,
                "started_at": #""2030-09-16T12:00:00.000Z""#,
            ]
        )
        try await createEvent(
            by: users[2],
            [
                "lat": "37.7881", "lon": "-122.4002", "name": #""Concert""#,
                "address": #""85 2nd St""#, "started_at": #""2026-06-01T18:00:00.000Z""#,
                "ended_at": #""2026-06-01T19:00:00.000Z""#,
            ]
        )
        try await createEvent(
            by: users[2],
            [
                "lat": "37.7984", "lon": "-122.3967", "name": #""Café Łódź; jazz, late""#,
                "address": #""Pier 7""#, "started_at": #""2026-06-02T03:00:00.000Z""#,
                "ended_at": #""2026-06-02T05:00:00.000Z""#,
            ]
        )
        return users
    }

    /// Sets the installation's UUID and the events' times to those of the examples.
    func setExampleDates() throws {
        try change("UPDATE installation SET uuid = '8c5b04b3-9c4f-4f29-9d34-0c4c2f3b0c51'")
        // 2026-05-01T10:00Z, 10:11:12.345Z and 11:00Z; 2026-05-02T08:00Z.
        try change(
            """
            UPDATE events SET
                created_at = CASE id WHEN 1 THEN 1777629600000 WHEN 2 THEN 1777630272345
                    ELSE 1777633200000 END,
                updated_at = CASE id WHEN 1 THEN 1777629600000 WHEN 2 THEN 1777708800000
                    ELSE 1777633200000 END
            """
        )
    }

    /// Creates an event at each place (latitude, longitude), with ids from 1 on.
    func createEvents(at places: [(Double, Double)], by user: TestUser) async throws {
        for place in places {
            try await createEvent(by: user, ["lat": "\(place.0)", "lon": "\(place.1)"])
        }
    }

    /// Creates an event for each start and end, with ids from 1 on.
    func createEvents(from times: [(String, String?)], by user: TestUser) async throws {
        for (start, end) in times {
            try await createEvent(
                by: user,
                ["started_at": #""\#(start)""#, "ended_at": end.map { #""\#($0)""# }]
            )
        }
    }

    /// The ids of the events in a page, in its order.
    func foundIDs(_ query: String, as user: TestUser? = nil) async throws -> [Int] {
        try await get("/v1/events.json?" + query, as: user).eventIDs()
    }

    /// Returns all rows that a search must not change.
    func storedRows() throws -> [String] {
        try rows("SELECT json_array(id, owner_id, name, updated_at) FROM events ORDER BY id")
            + rows("SELECT json_array(id, user_id, event_id) FROM attendances ORDER BY id")
            + rows("SELECT json_array(id, created_at) FROM users ORDER BY id")
    }
}

extension Answer {
    /// Returns an example of the specification.
    static func example(_ name: String) throws -> String {
        let folder = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let path = folder.appendingPathComponent("WebTests/Formats/Examples/\(name)")
        return try String(contentsOf: path, encoding: .utf8)
    }

    /// The same answer for a path whose representation depends on `Accept`.
    var negotiated: Answer { with("vary", "Accept") }

    /// The same answer with a link to the next page.
    func linking(to next: String) -> Answer { with("link", "<\(next)>; rel=\"next\"") }

    func with(_ name: String, _ value: String) -> Answer {
        var answer = self
        answer.fields[name] = value
        return answer
    }

    /// A response without events and without a next page.
    static let noEvents = Answer.found(#"{"events":[],"next":null}"# + "\n")

    /// The 401 for programs that prompt for a password.
    static let passwordRequired = json(
        401,
        #"{"message":"Unauthorized"}"#,
        ["www-authenticate": #"Basic realm="Humon", charset="UTF-8""#]
    )

    /// The ids of the events in a page of JSON, in its order.
    func eventIDs() throws -> [Int] {
        guard status == 200 else { throw UnexpectedAnswer(answer: self) }
        return body.matches(of: /"id":(\d+),"lat"/).compactMap { Int($0.1) }
    }

    /// Returns the path and query of the next page, or nil on the last page.
    ///
    /// Throws if the body and the header do not agree.
    func nextPage() throws -> String? {
        guard status == 200 else { throw UnexpectedAnswer(answer: self) }
        guard let link = fields["link"] else {
            guard body.hasSuffix(",\"next\":null}\n") else { throw UnexpectedAnswer(answer: self) }
            return nil
        }
        guard let target = link.wholeMatch(of: /<(.*)>; rel="next"/)?.1,
            let cursor = target.firstMatch(of: /[?&]cursor=([A-Za-z0-9_-]{32})(&|$)/)?.1,
            body.hasSuffix(",\"next\":\"\(cursor)\"}\n")
        else { throw UnexpectedAnswer(answer: self) }
        return String(target)
    }
}

/// The error for a response that a spec can't read.
struct UnexpectedAnswer: Error {
    let answer: Answer
}

/// An example event's JSON, without the end of the object.
enum ExampleEvent {
    static let picnic =
        #"{"address":null,"ended_at":null,"id":1,"lat":37.76,"lon":-122.43,"name":"Picnic","#
        + #""started_at":"2030-09-16T12:00:00.000Z","owner":{"id":1}"#
    static let concert =
        #"{"address":"85 2nd St","ended_at":"2026-06-01T19:00:00.000Z","id":2,"lat":37.7881,"#
        + #""lon":-122.4002,"name":"Concert","started_at":"2026-06-01T18:00:00.000Z","#
        + #""owner":{"id":3}"#
    static let jazz =
        #"{"address":"Pier 7","ended_at":"2026-06-02T05:00:00.000Z","id":3,"lat":37.7984,"#
        + #""lon":-122.3967,"name":"Café Łódź; jazz, late","#
        + #""started_at":"2026-06-02T03:00:00.000Z","owner":{"id":3}"#
}
