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
            "null", name("urn:ogc:def:crs:OGC:1.3:CRS84"), name("urn:ogc:def:crs:OGC::CRS84"),
            name("CRS84"), name("OGC:CRS84h"), name("EPSG:4326"),
            name("urn:ogc:def:crs:EPSG::4326"), name("http://www.opengis.net/def/crs/EPSG/0/4326"),
            name("http://www.opengis.net/def/crs/OGC/1.3/CRS84"), #""EPSG:4326""#,
            #"{"type":"EPSG","properties":{"code":4326}}"#,
        ],
        [1, 100_000]
    )
    func `reads a file that says it is in WGS 84`(crs: String, chunkBytes: Int) throws {
        let text = #"{"crs": \#(crs) ,"features":[\#(feature(""))],"crs":\#(crs)}"#

        #expect(
            try records(in: text.utf8, .geojson, chunkBytes: chunkBytes)
                == [.success(1, .picnic(id: nil))]
        )
    }

    @Test(
        arguments: [
            (name("urn:ogc:def:crs:EPSG::3857"), refusal(of: "urn:ogc:def:crs:EPSG::3857")),
            (name("EPSG:4807"), refusal(of: "EPSG:4807")), (name("4326"), refusal(of: "4326")),
            (name("OGC:CRS83"), refusal(of: "OGC:CRS83")),
            (#""EPSG:3857""#, refusal(of: "EPSG:3857")),
            (#"{"type":"EPSG","properties":{"code":3857}}"#, refusal(of: "EPSG:3857")),
            (
                #"{"type":"link","properties":{"href":"http://example.com/a,b}","type":"proj4"}}"#,
                "The coordinate system (crs) has no name, but must be CRS84 or EPSG:4326"
            ),
            ("{}", "The coordinate system (crs) has no name, but must be CRS84 or EPSG:4326"),
            ("7", "The coordinate system (crs) has no name, but must be CRS84 or EPSG:4326"),
        ],
        [1, 100_000]
    )
    func `refuses a file in another coordinate system`(
        crs: (value: String, reason: String),
        chunkBytes: Int
    ) throws {
        let features = #""features":[\#(feature(""))]"#
        for text in [
            #"{"crs":\#(crs.value),\#(features)}"#, #"{\#(features),"crs":\#(crs.value)}"#,
        ] {
            #expect(throws: RecordFileError(reason: crs.reason, isAboutAll: true)) {
                try records(in: text.utf8, .geojson, chunkBytes: chunkBytes)
            }
        }
    }

    @Test func `ignores crs where it is not the collection's`() throws {
        let text = #"""
            {"x":{"crs":{"properties":{"name":"EPSG:3857"}}},"y":"crs","z":["crs",1],
            "features":[\#(feature(""))],"name":"crs"}
            """#

        #expect(try records(in: text.utf8, .geojson) == [.success(1, .picnic(id: nil))])
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

    private static func name(_ name: String) -> String {
        #"{"type":"name","properties":{"name":"\#(name)"}}"#
    }

    static func refusal(of name: String) -> String {
        """
        The coordinate system (crs) is "\(name)", but must be CRS84 or EPSG:4326; \
        `ogr2ogr -t_srs EPSG:4326 NEW.geojson FILE` converts it
        """
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
