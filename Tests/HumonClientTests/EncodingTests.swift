import Foundation
import Testing

@testable import HumonClient

/// What the client sends.
@Suite struct EncodingTests {
    private let start = Date(timeIntervalSince1970: 2_095_956_000.123)
    private let url = URL(string: "https://a.example/x?y=1")

    private func json(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    @Test func `sends what a draft has`() throws {
        let here = Coordinate(latitude: 51.05, longitude: -3.72)
        var draft = EventDraft(name: "a", at: here, startedAt: start)
        let least = try json(draft)
        draft.endedAt = start + 60
        draft.address = "b"
        draft.description = "c"
        draft.url = url
        draft.imageURL = url
        draft.category = "music"
        draft.tags = ["x", "y"]
        draft.status = .postponed
        draft.isAllDay = true
        draft.seriesID = "s"
        draft.visibility = .guests
        draft.data = try EventData(["k": 1])

        #expect(
            least
                == #"{"lat":51.05,"lon":-3.72,"name":"a","started_at":"2036-06-01T18:00:00.123Z"}"#
        )
        #expect(
            try json(draft) == """
                {"address":"b","all_day":true,"category":"music","data":{"k":1},"description":"c",\
                "ended_at":"2036-06-01T18:01:00.123Z","image_url":"https://a.example/x?y=1",\
                "lat":51.05,"lon":-3.72,"name":"a","series_id":"s",\
                "started_at":"2036-06-01T18:00:00.123Z","status":"postponed","tags":["x","y"],\
                "url":"https://a.example/x?y=1","visibility":"private"}
                """
        )
    }

    @Test func `sends set and cleared attributes alone`() throws {
        var set = EventChanges()
        let none = try json(set)
        set.name = .set("a")
        set.coordinate = .set(Coordinate(latitude: 1, longitude: 2))
        set.startedAt = .set(start)
        set.endedAt = .set(start)
        set.address = .set("b")
        set.description = .set("c")
        set.url = try .set(#require(url))
        set.imageURL = try .set(#require(url))
        set.category = .set("music")
        set.tags = .set([])
        set.status = .set(.scheduled)
        set.isAllDay = .set(false)
        set.seriesID = .set("s")
        set.visibility = .set(.everybody)
        set.data = .set(try EventData(["k": true]))
        var cleared = EventChanges()
        cleared.endedAt = .clear
        cleared.address = .clear
        cleared.description = .clear
        cleared.url = .clear
        cleared.imageURL = .clear
        cleared.category = .clear
        cleared.tags = .clear
        cleared.status = .clear
        cleared.isAllDay = .clear
        cleared.seriesID = .clear
        cleared.visibility = .clear
        cleared.data = .clear

        #expect(none == "{}")
        #expect(
            try json(set) == """
                {"address":"b","all_day":false,"category":"music","data":{"k":true},\
                "description":"c","ended_at":"2036-06-01T18:00:00.123Z",\
                "image_url":"https://a.example/x?y=1","lat":1,"lon":2,"name":"a","series_id":"s",\
                "started_at":"2036-06-01T18:00:00.123Z","status":"scheduled","tags":[],\
                "url":"https://a.example/x?y=1","visibility":"public"}
                """
        )
        #expect(
            try json(cleared) == """
                {"address":null,"all_day":null,"category":null,"data":null,"description":null,\
                "ended_at":null,"image_url":null,"series_id":null,"status":null,"tags":null,\
                "url":null,"visibility":null}
                """
        )
    }

    @Test func `sends no number that JSON lacks`() async throws {
        let humon = try HumonClient.test()
        let nowhere = Coordinate(latitude: .nan, longitude: .infinity)
        let draft = EventDraft(name: "a", at: nowhere, startedAt: start)

        let error = await #expect(throws: HumonError.self) {
            try await humon.events.create(draft)
        }

        #expect(error?.kind == .badRequest)
        #expect(throws: EncodingError.self) { try EventData(["x": Double.nan]) }
    }

    @Test(
        arguments: [
            (-.infinity, "0000-01-01T00:00:00.000Z"), (.infinity, "9999-12-31T23:59:59.999Z"),
            (.nan, "0000-01-01T00:00:00.000Z"), (-0.001, "1969-12-31T23:59:59.999Z"),
            (951_782_400, "2000-02-29T00:00:00.000Z"),
            (-62_162_121_600, "0000-02-29T00:00:00.000Z"),
            (1e300, "9999-12-31T23:59:59.999Z"), (0.0004, "1970-01-01T00:00:00.000Z"),
        ] as [(Double, String)]
    )
    func `writes every date`(seconds: Double, text: String) {
        #expect(Timestamp.text(of: Date(timeIntervalSince1970: seconds)) == text)
    }
}
