import Foundation
import Testing

@testable import HumonClient

/// What the server sends, now and later.
@Suite struct DecodingTests {
    static let least = """
        {"address":null,"ended_at":null,"id":7,"lat":1.0e-05,"lon":2,"name":"a",\
        "started_at":"2036-06-01T18:00:00.000Z","owner":{"id":1}}
        """
    static let most = """
        {"address":"Kouter 1","ended_at":"2036-06-01T20:00:00.000Z",\
        "id":9007199254740993,"lat":51.05,\
        "lon":-3.72,"name":"Jazz 😀 \\u00e9","started_at":"0001-01-01T00:00:00.001Z",\
        "owner":{"id":3,"name":"Ana"},"description":"d","url":"https://a.example/x",\
        "image_url":"https://a.example/y.png","category":"music","tags":["jazz","b"],\
        "status":"cancelled","all_day":true,"series_id":"s","visibility":"private",\
        "data":{"a":[true,null]},"hidden":true,"distance":12.5,"bearing":359.5}
        """

    static func decode<Value: Decodable>(_ json: String) throws -> Value {
        try Reply(body: Data(json.utf8)).decode()
    }

    @Test func `reads an event with nothing but what it must have`() throws {
        let event: Event = try Self.decode(Self.least)

        #expect(event.id == 7)
        #expect(event.coordinate == Coordinate(latitude: 1e-5, longitude: 2))
        #expect(event.startedAt == Date(timeIntervalSince1970: 2_095_956_000))
        #expect(event.owner.id == 1)
        #expect(event.owner.name == nil)
        #expect(event.address == nil && event.endedAt == nil && event.description == nil)
        #expect(event.url == nil && event.imageURL == nil && event.category == nil)
        #expect(event.tags == [] && event.seriesID == nil && event.data == nil)
        #expect(event.status == .scheduled && event.visibility == .everybody)
        #expect(!event.isAllDay && !event.isHidden)
        #expect(event.distance == nil && event.bearing == nil && event.version == nil)
    }

    @Test func `reads an event with all attributes`() throws {
        let event: Event = try Self.decode(Self.most)

        #expect(event.id == 9_007_199_254_740_993)
        #expect(event.name == "Jazz 😀 é")
        #expect(event.address == "Kouter 1")
        #expect(event.startedAt == Date(timeIntervalSince1970: -62_135_596_799.999))
        #expect(event.endedAt == Date(timeIntervalSince1970: 2_095_963_200))
        #expect(event.owner.name == "Ana")
        #expect(event.description == "d")
        #expect(event.url == URL(string: "https://a.example/x"))
        #expect(event.imageURL == URL(string: "https://a.example/y.png"))
        #expect(event.category == "music")
        #expect(event.tags == ["jazz", "b"])
        #expect(event.status == .cancelled)
        #expect(event.isAllDay)
        #expect(event.seriesID == "s")
        #expect(event.visibility == .guests)
        #expect(event.data == (try EventData(["a": [true, nil]])))
        #expect(event.isHidden)
        #expect(event.distance == .meters(12.5))
        #expect(event.bearing == 359.5)
    }

    @Test func `ignores unknown keys, and keeps unknown texts`() throws {
        let json =
            Self.least.dropLast() + #","new":{"a":[1]},"status":"sold-out","visibility":"x"}"#

        let event: Event = try Self.decode(String(json))

        #expect(event.status.rawValue == "sold-out")
        #expect(event.visibility.rawValue == "x")
        #expect(try Self.decode(#"["new"]"#) == [ReportReason(rawValue: "new")])
        #expect(
            String(decoding: try JSONEncoder().encode([event.status]), as: UTF8.self)
                == #"["sold-out"]"#
        )
    }

    @Test(arguments: ["", "http://[", "https://a b:c"])
    func `keeps the text of what is no URL`(text: String) throws {
        let json = Self.least.dropLast() + #","url":"\#(text)","image_url":"\#(text)"}"#

        let event: Event = try Self.decode(String(json))

        #expect(event.url == nil)
        #expect(event.urlText == text)
        #expect(event.imageURL == nil)
        #expect(event.imageURLText == text)
    }

    @Test func `reads pages and clusters`() throws {
        let json = #"{"events":[\#(Self.least)],"next":"c","count":10000,"count_is_exact":false}"#
        let page: EventPage = try Self.decode(json)
        let last: EventPage = try Self.decode(#"{"events":[],"next":null}"#)
        let cluster: Cluster = try Self.decode(
            #"{"count":2,"lat":1.5,"lon":2.5,"event":\#(Self.least)}"#
        )

        #expect(page.events.map(\.id) == [7])
        #expect(page.next == Cursor(rawValue: "c"))
        #expect(page.count == 10_000)
        #expect(page.isCountExact == false)
        #expect(last.next == nil && last.count == nil && last.isCountExact == nil)
        #expect(cluster.count == 2 && cluster.event.id == 7)
        #expect(cluster.coordinate == Coordinate(latitude: 1.5, longitude: 2.5))
    }

    @Test func `rejects a page that is cut at any byte`() throws {
        let page = Array(#"{"events":[\#(Self.most),\#(Self.least)],"next":"c"}"#.utf8)
        for count in page.indices {
            let reply = Reply(body: Data(page.prefix(count)))
            let error = #expect(throws: HumonError.self, "\(count)") {
                _ = try reply.decode(EventPage.self)
            }
            #expect(error?.kind == .decoding)
        }
    }

    @Test(arguments: [
        "[]", "null", "1", #"{"events":{}}"#, #"{"events":[{}]}"#, #"{"events":[null]}"#,
        "\u{FEFF}{}",
    ])
    func `rejects what is no page`(json: String) {
        let error = #expect(throws: HumonError.self) {
            let _: EventPage = try Self.decode(json)
        }
        #expect(error?.kind == .decoding)
    }

    @Test(arguments: [
        "", "2036", "2036-06-01", "2036-06-01T18:00", "2036-06-01T18:00:00Z",
        "2036-13-01T18:00:00.000Z", "2036-00-01T18:00:00.000Z", "2036-06-01T18:00:00.1Z",
        "2036-06-01 18:00:00.000Z", "2036-06-01T18:00:00.0000Z", "2036-06-01T18:00:00.000ZZ",
        "2036-06-01T18:00:00+02:00", "+036-06-01T18:00:00.000Z",
        "２０36-06-01T18:00:00.000Z",
    ])
    func `rejects what is no time`(text: String) {
        #expect(throws: HumonError.self) {
            let _: [Timestamp] = try Self.decode(#"["\#(text)"]"#)
        }
    }

    @Test func `reads the other records`() throws {
        let time = "2026-11-28T01:02:03.004Z"
        let date = Date(timeIntervalSince1970: 1_795_827_723.004)
        let me: Me = try Self.decode(#"{"id":1,"events":2,"attendances":3,"banned":true}"#)
        let device: Device = try Self.decode(
            #"{"id":2,"created_at":"\#(time)","last_seen_on":"2026-11-28","current":true}"#
        )
        let identity: Identity = try Self.decode(#"{"id":1,"issuer":"i","created_at":"\#(time)"}"#)
        let block: Block = try Self.decode(#"{"user":{"id":4,"name":"B"},"created_at":"\#(time)"}"#)
        let code: DeletionCode = try Self.decode(
            #"{"code":"c","expires_at":"\#(time)","url":"https://a.example/d"}"#
        )
        let list: AttendanceList = try Self.decode(
            #"{"count":2,"attendances":[{"id":5,"user":{"id":6}}]}"#
        )

        #expect(me.isBanned && me.issuers == [] && me.name == nil && me.events == 2)
        #expect(device.createdAt == date && device.isCurrent && device.lastSeenOn == "2026-11-28")
        #expect(identity.createdAt == date && identity.issuer == "i")
        #expect(block.createdAt == date && block.user.name == "B")
        #expect(code.expiresAt == date && code.url == URL(string: "https://a.example/d"))
        #expect(list.count == 2 && list.attendances.first?.event == nil)
    }
}
