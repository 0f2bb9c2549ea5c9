import Testing

@testable import Formats

@Suite struct GeoJSONDecoderTests {
    @Test func `reads features wherever they stand in the collection`() throws {
        let text = """
            \u{FEFF} {"bbox":[1,[2]],"note":"features","x":{"features":[{"a":"]}\\"["}]},
             "features" : [ \(feature(#""id":7,"#)) ,
            \(feature(#""id":"8","a":"}\"{","#))],"type":"FeatureCollection","b":null}

            """

        #expect(
            try records(in: text.utf8, .geojson)
                == [.success(1, .picnic()), .success(2, .picnic(id: 8))]
        )
    }

    @Test func `reads nothing from a collection of nothing`() throws {
        let text = #"{"type":"FeatureCollection","features":[]}"#

        #expect(try records(in: text.utf8, .geojson) == [])
    }

    @Test func `takes the id from the properties and ignores an altitude`() throws {
        let feature = feature("")
            .replacing("[-122.25,37.5]", with: "[-122.25,37.5,8.0]")
            .replacing(#""owner":3"#, with: #""owner":{"id":3},"id":7"#)

        #expect(try records(in: collection(feature).utf8, .geojson) == [.success(1, .picnic())])
    }

    @Test(
        arguments: [
            (#""type":"Feature""#, #""type":"Thing""#, "The record is not a Feature with a Point"),
            (#""Point""#, #""LineString""#, "The record is not a Feature with a Point"),
            ("[-122.25,37.5]", "[-122.25]", "The record is not a Feature with a Point"),
            ("[-122.25,37.5]", "null", "The record is not a Feature with a Point"),
            (#""properties":{"#, #""x":{"#, "The feature has no properties"),
            ("[-122.25,37.5]", "[-122.25,[]]", "Lat is not a number"),
            (#""owner":3"#, #""owner":"x""#, "Owner is invalid"),
        ]
    )
    func `reports a bad feature and goes on`(part: String, other: String, reason: String) throws {
        let bad = feature("").replacing(part, with: other)

        #expect(
            try records(in: collection("\(bad),\(feature(""))").utf8, .geojson)
                == [.failure(1, reason), .success(2, .picnic(id: nil))]
        )
    }

    @Test func `reports a feature that is malformed JSON and goes on`() throws {
        let text = collection("{\"a\":},\(feature(""))")

        let outcomes = try records(in: text.utf8, .geojson)

        #expect(outcomes.count == 2)
        #expect(throws: RecordError.self) { try outcomes[0].result.get() }
        #expect(outcomes[1] == .success(2, .picnic(id: nil)))
    }

    @Test(
        arguments: ["5", "-1.5e+3", "null", "[1,[\"]\"]]", "\"{\\\"\"", " true "],
        [1, 2, 3, 100_000]
    )
    func `reports what is no feature and goes on`(value: String, chunkBytes: Int) throws {
        let text = collection("\(value),\(feature("")),\(value)")
        let reason = "The record is not a JSON object"

        #expect(
            try records(in: text.utf8, .geojson, chunkBytes: chunkBytes) == [
                .failure(1, reason), .success(2, .picnic(id: nil)), .failure(3, reason),
            ]
        )
    }

    @Test(
        arguments: [
            ("", "The file ends before its FeatureCollection does"),
            ("[]", "The file is not a FeatureCollection"),
            (#"{"type":"Feature","features":[]}"#, "The file's type is not FeatureCollection"),
            (#"{"type":"FeatureCollection"}"#, "The file has no features"),
            (#"{"features":[}]}"#, "The features are not an array"),
            (#"{"features":[1 2]}"#, "The features are not an array"),
            (#"{"features":[,]}"#, "The features are not an array"),
            (#"{"features":[{}{}]}"#, "The features are not an array"),
            (#"{"features":[{},]}"#, "The features are not an array"),
            (#"{"features":[{}]"#, "The file ends before its FeatureCollection does"),
            (#"{"features":[{}"#, "The file ends before its FeatureCollection does"),
            (#"{"features":[{"a":"#, "The file ends before its FeatureCollection does"),
            (#"{"features":[]}{}"#, "There is text after the FeatureCollection"),
        ]
    )
    func `refuses a file that is no collection`(text: String, reason: String) {
        #expect(throws: RecordFileError(reason: reason)) { try records(in: text.utf8, .geojson) }
    }

    private func collection(_ features: String) -> String {
        "{\"type\":\"FeatureCollection\",\"features\":[\(features)]}"
    }

    private func feature(_ members: String) -> String {
        """
        {"type":"Feature",\(members)"geometry":{"type":"Point","coordinates":[-122.25,37.5]},\
        "properties":{"name":"Picnic","started_at":"2030-01-01T00:00:00.005Z","owner":3}}
        """
    }
}
