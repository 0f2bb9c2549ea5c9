import Foundation
import Testing

@testable import HumonClient

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The URLs of searches.
@Suite struct QueryTests {
    private let here = Coordinate(latitude: 51.05, longitude: -3.72)

    /// The URL of the first page of a query, after the address of the server.
    private static func url(_ query: EventQuery) throws -> String {
        let humon = try HumonClient.test()
        let request = try humon.transport.request(of: .search("events", query), token: "t")
        return try #require(request.url).absoluteString.replacing("https://a.example/v1/", with: "")
    }

    @Test func `has a method for each parameter`() throws {
        let noon = Date(timeIntervalSince1970: 2_095_934_400.5)
        let corners = [(0.0, 1.0), (0.0, 2.0), (1.5, 2.0)].map {
            Coordinate(latitude: $0, longitude: $1)
        }
        let queries: [(EventQuery, String)] = [
            (.all, ""),
            (.near(here), "lat=51.05&lon=-3.72&units=m"),
            (.near(here, radius: .kilometers(5)), "lat=51.05&lon=-3.72&radius=5000.0&units=m"),
            (.near(here, radius: .miles(1)), "lat=51.05&lon=-3.72&radius=1609.344&units=m"),
            (.in(Box(west: 1, south: 2, east: 3, north: 4)), "bbox=1.0,2.0,3.0,4.0"),
            (.all.within(corners), "within=1.0,0.0,2.0,0.0,2.0,1.5"),
            (.all.when(.nextWeek), "when=next-week"),
            (.all.when(.date("2036-06")), "when=2036-06"),
            (.all.from(noon), "from=2036-06-01T12:00:00.500Z"),
            (.all.to(noon), "to=2036-06-01T12:00:00.500Z"),
            (.all.timeZone(try #require(TimeZone(identifier: "UTC"))), "tz=GMT"),
            (.all.ongoing(false), "ongoing=false"),
            (.all.text("jaz"), "q=jaz"),
            (.all.category("music", "theatre"), "category=music,theatre"),
            (.all.tags("jazz", "live music").tags("b"), "tag=jazz,live%20music&tag=b"),
            (.all.status(.any), "status=any"),
            (.all.status(.only(.cancelled, .postponed)), "status=cancelled,postponed"),
            (.all.series("x", ofOwner: 3), "series=x&owner=3"),
            (.owner(.me), "owner=me"), (.owner(.user(7)), "owner=7"),
            (.attending(), "attendee=me"),
            (.all.sort(.latestFirst), "sort=-started_at"),
            (.all.limit(50), "limit=50"),
            (.all.counted(), "count=exact"),
        ]
        for (query, text) in queries {
            #expect(try Self.url(query) == "events" + (text.isEmpty ? "" : "?" + text))
        }
    }

    @Test func `keeps the order of parameters, and a changed one in its place`() throws {
        let query = EventQuery.all.text("a").near(here, radius: .meters(1)).limit(3).text("b")

        let widened = query.near(here)

        #expect(try Self.url(query) == "events?q=b&lat=51.05&lon=-3.72&radius=1.0&units=m&limit=3")
        #expect(try Self.url(widened) == "events?q=b&lat=51.05&lon=-3.72&units=m&limit=3")
    }

    @Test(arguments: [
        ("a+b&c=d#e/?", "a%2Bb%26c%3Dd%23e%2F%3F"), ("é€😀", "%C3%A9%E2%82%AC%F0%9F%98%80"),
        ("%41 \n\0", "%2541%20%0A%00"), ("-._~,:", "-._~,:"), ("'\"<>[]", "%27%22%3C%3E%5B%5D"),
    ])
    func `encodes all but unreserved characters`(text: String, encoded: String) throws {
        let url = try Self.url(.all.text(text))
        let read = URLComponents(string: "https://a.example/" + url)?.queryItems?.first?.value

        #expect(url == "events?q=" + encoded)
        #expect(read == text)
    }

    @Test func `knows which queries need a token`() async throws {
        let humon = try HumonClient.test()
        for query in [EventQuery.owner(.me), .attending(), .all.owner(.me).text("a")] {
            let error = await #expect(throws: HumonError.self) {
                try await humon.events.page(query)
            }
            #expect(error?.kind == .noToken)
        }
        #expect(!EventQuery.all.series("x", ofOwner: 3).needsToken)
    }

    @Test func `sends the token, the key and the trace with each request`() throws {
        let humon = try HumonClient.test { $0.traceparent = { "00-1-2-01" } }
        let call = try Call("POST", "events", .key).with(["a": 1]).header("If-Match", "\"x\"")

        let one = try humon.transport.request(of: call, token: "t")
        let other = try humon.transport.request(of: call, token: "t")
        let read = try humon.transport.request(of: .get("events"), token: nil)

        let key = try #require(one.value(forHTTPHeaderField: "Idempotency-Key"))
        #expect(one.value(forHTTPHeaderField: "tb-auth-token") == "t")
        #expect(one.value(forHTTPHeaderField: "If-Match") == "\"x\"")
        #expect(one.value(forHTTPHeaderField: "traceparent") == "00-1-2-01")
        #expect(one.value(forHTTPHeaderField: "Content-Type") == "application/json")
        #expect(key.count == 38)
        #expect(other.value(forHTTPHeaderField: "Idempotency-Key") != key)
        #expect(read.value(forHTTPHeaderField: "tb-auth-token") == nil)
    }

    @Test(arguments: [
        ("https://example.com", true), ("HTTPS://example.com/", true), ("http://localhost", true),
        ("http://127.0.0.1:3000", true), ("http://127.8.9.1", true), ("http://[::1]:3000", true),
        ("http://10.0.2.2", true), ("http://mac.local", true), ("http://LOCALHOST", true),
        ("http://example.com", false), ("http://localhost.example", false),
        ("http://127.example", false), ("http://10.0.2.20", false), ("http://local", false),
        ("http://192.168.1.2", false), ("ftp://localhost", false), ("file:///a", false),
    ])
    func `allows plain http on this machine alone`(text: String, isAllowed: Bool) async throws {
        let url = try #require(URL(string: text))
        let humon = HumonClient(HumonConfiguration(baseURL: url), tokens: MemoryTokenStore())
        var configuration = humon.configuration
        configuration.allowsPlainHTTP = true
        let lax = HumonClient(configuration, tokens: MemoryTokenStore())

        func kind(_ humon: HumonClient) -> HumonError.Kind? {
            do throws(HumonError) {
                _ = try humon.transport.request(of: .get("events/1"), token: nil)
                return nil
            } catch {
                return error.kind
            }
        }

        #expect(kind(humon) == (isAllowed ? nil : .insecureURL))
        #expect((kind(lax) == nil) == text.lowercased().hasPrefix("http"))
    }

    @Test(arguments: ["https://a.example", "https://a.example/", "https://a.example/b"])
    func `adds the path to the address`(text: String) throws {
        let url = try #require(URL(string: text))
        let humon = HumonClient(HumonConfiguration(baseURL: url), tokens: MemoryTokenStore())
        let request = try humon.transport.request(of: .get("events/1"), token: nil)
        let folder = text.hasSuffix("/") ? text : text + "/"

        #expect(request.url?.absoluteString == folder + "v1/events/1")
    }
}

extension HumonClient {
    /// Returns a client of a server that doesn't exist.
    static func test(
        _ change: (inout HumonConfiguration) -> Void = { _ in }
    ) throws -> HumonClient {
        var configuration = HumonConfiguration(
            baseURL: try #require(URL(string: "https://a.example"))
        )
        change(&configuration)
        return HumonClient(configuration, tokens: MemoryTokenStore())
    }
}
