import Model
import Testing

@testable import Formats

@Suite struct NDJSONDecoderTests {
    @Test(
        arguments: [
            #"{"id":7,"owner":{"id":3},"#, #"{"id":"7","owner":3,"#, #"{"id":7,"owner_id":"3","#,
            #"{"owner":3,"owner_id":4,"user":1,"id":7,"#, #"{"id":7.0,"owner":{"id":3.00},"#,
            #"{"id":"7.0","owner":"3.0","#,
        ]
    )
    func `reads an owner in each of its forms`(start: String) throws {
        #expect(try records(in: (start + rest).utf8, .ndjson) == [.success(1, .picnic())])
    }

    @Test func `reads every attribute`() throws {
        let line = """
            {"address":"Dolores \\u0050ark","ended_at":"2030-01-01T00:00:00.009Z","id":7,\
            "lat":"37.5","lon":-122.25,"name":"Picnic","started_at":"2030-01-01T00:00:00.005Z",\
            "owner":{"id":3}}
            """

        let expected = EventRecord.picnic(address: "Dolores Park", endedAt: 9)
        #expect(try records(in: line.utf8, .ndjson) == [.success(1, expected)])
    }

    @Test func `counts lines, skips blank ones and goes on after bad ones`() throws {
        let text = """
            \u{FEFF}{"id":1,"owner":3,\(rest)\r

              \t\r
            [1]
            {"id":2,"owner":3,"name":"Picnic"
            {"owner":3,\(rest)
            {"id":0,"lat":"x"}
            """

        let outcomes = try records(in: text.utf8, .ndjson)

        #expect(
            outcomes == [
                .success(1, .picnic(id: 1)),
                .failure(4, "The record is not a JSON object"),
                outcomes[2],
                .success(6, .picnic(id: nil)),
                .failure(
                    7,
                    """
                    Lat is not a number; Lon can't be blank; Name can't be blank; \
                    Started at can't be blank; Owner can't be blank; Id is invalid
                    """
                ),
            ]
        )
        #expect(outcomes[2].number == 5)
        #expect(throws: RecordError.self) { try outcomes[2].result.get() }
    }

    @Test(
        arguments: [
            (#""owner":null"#, "Owner can't be blank"), (#""owner":{}"#, "Owner can't be blank"),
            (#""owner":-1"#, "Owner is invalid"), (#""owner":1.5"#, "Owner is invalid"),
            (#""owner":0"#, "Owner is invalid"), (#""owner":"+1""#, "Owner is invalid"),
            (#""owner":[1]"#, "Owner is invalid"),
            (#""owner":99999999999999999999"#, "Owner is invalid"),
            (#""owner":0.0"#, "Owner is invalid"), (#""owner":-1.0"#, "Owner is invalid"),
            (#""owner":"1.0.0""#, "Owner is invalid"), (#""owner":".0""#, "Owner is invalid"),
            (#""owner":true"#, "Owner is invalid"), (#""owner":3,"id":"1a""#, "Id is invalid"),
            (#""owner":3,"id":{}"#, "Id is invalid"),
        ]
    )
    func `refuses what is no id`(members: String, reason: String) throws {
        #expect(
            try records(in: "{\(members),\(rest)".utf8, .ndjson) == [.failure(1, reason)]
        )
    }

    @Test(arguments: ["\n", "\r\n", " \n", ""])
    func `says in which column of the line a mistake is`(end: String) throws {
        let reason = """
            Malformed JSON at column 7: expected a value, found the end of the text
            """

        #expect(
            try records(in: "\n{\"id\":\(end)".utf8, .ndjson) == [.failure(2, reason)]
        )
    }

    @Test func `reads a GeoJSON feature on each line, also as a text sequence`() throws {
        let feature = """
            {"type":"Feature","id":7,"geometry":{"type":"Point","coordinates":[-122.25,37.5]},\
            "properties":{"name":"Picnic","started_at":"2030-01-01T00:00:00.005Z","owner":3}}
            """
        let text = """
            \(feature)
            \u{1E}\(feature)
            \u{1E}
            {"id":7,"owner":3,\(rest)
            \(feature.replacing("Point", with: "LineString"))
            {"type":"FeatureCollection","features":[\(feature)]}
            \(feature.replacing("}}", with: #"},"crs":{"properties":{"name":"EPSG:3857"}}}"#))
            """

        #expect(
            try records(in: text.utf8, .ndjson)
                == [
                    .success(1, .picnic()), .success(2, .picnic()), .success(4, .picnic()),
                    .failure(5, "The record is not a Feature with a Point"),
                    .failure(
                        6,
                        "The line is a FeatureCollection; use --format geojson for such a file"
                    ),
                    .failure(7, GeoJSONDecoderTests.refusal(of: "EPSG:3857")),
                ]
        )
    }

    @Test func `reads nothing from an empty file`() throws {
        #expect(try records(in: [], .ndjson) == [])
    }

    private let rest =
        #""lat":37.5,"lon":-122.25,"name":"Picnic","started_at":"2030-01-01T00:00:00.005Z"}"#
}
