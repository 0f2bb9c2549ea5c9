import Events
@testable import HTTP
import Model
import Testing

@testable import Web

@Suite struct EventSearchQueryTests {
    private static func query(_ text: String) throws -> EventSearchQuery {
        try EventSearchQuery(
            Request(method: .get, path: "/v1/events", query: text),
            names: EventParameterName.ofSearches
        )
    }

    @Test func `lists each unknown name once`() throws {
        let query = try Self.query("b=1&a=2&_c=3&b=4&limit=5&a&=6")

        #expect(query.unknown == ["b", "a", ""])
        #expect(query.values == [.limit: "5"])
    }

    /// A request can have a thousand, which are compared with those before them.
    @Test func `lists no more unknown names than a response has errors`() throws {
        let names = (0..<500).map { "x\($0)" }

        let query = try Self.query(names.joined(separator: "&") + "&limit=5")

        #expect(query.unknown == Array(names.prefix(10)))
        #expect(query.values == [.limit: "5"])
    }
}
