import Events
import Testing

@testable import Web

@Suite struct EventFormatTests {
    @Test func `has a media type, a limit and fields for each format`() {
        let table = EventFormat.allCases.map { format in
            [
                format.suffix, format.mediaType, "\(format.defaultLimit(maximum: 1000))",
                "\(format.defaultLimit(maximum: 7))", format.hasFields ? "fields" : "",
                format.canBeShort ? "short" : "", format.needsEvents(for: nil) ? "events" : "",
            ].joined(separator: " ")
        }

        #expect(
            table == [
                "json application/json; charset=utf-8 20 7 fields short ",
                "geojson application/geo+json 1000 7 fields  events",
                "ics text/calendar; charset=utf-8 1000 7   events",
                "atom application/atom+xml; charset=utf-8 1000 7   events",
                "csv text/csv; charset=utf-8; header=present 1000 7 fields  events",
                "txt text/plain; charset=utf-8 20 7  short events",
            ]
        )
        #expect(EventFormat.allCases.allSatisfy { $0.needsEvents(for: [.id]) })
    }

    @Test(
        arguments: [
            (nil, .json), ("", .json), ("*/*", .json), ("text/*", .json), ("text/html", .json),
            ("application/json", .json), ("application/geo+json", .geojson),
            ("text/calendar", .ics), ("application/atom+xml", .atom), ("text/csv", .csv),
            ("text/plain", .txt), ("TEXT/Calendar", .ics), ("\t text/csv \t", .csv),
            ("text/csv;header=present;q=1", .csv), ("text/csv; charset=\"a,b;q=0\" ; Q=0.5", .csv),
            ("text/html, text/csv;q=0.1", .csv), ("text/csv, text/plain", .csv),
            ("text/plain, text/csv", .txt), ("text/plain;q=0.5, text/csv;q=0.501", .csv),
            ("text/plain;q=0.5, text/csv;q=0.5", .txt), ("text/plain;q=0.9, */*", .json),
            ("text/plain, */*;q=0.8", .txt), ("text/plain, */*", .txt), ("*/*, text/plain", .json),
            ("text/plain;q=0.9, text/*", .txt), ("*/*;q=0, text/csv;q=0.1", .csv),
            ("text/plain;q=0.999, text/csv;q=1.000", .csv), ("text/csv;q=0", .json),
            ("text/csv;q=0.0004, text/plain;q=0.001", .txt), ("text/csv;q=0.000", .json),
            ("text/csv;q=", .json), ("text/csv;q=x, text/plain;q=0.1", .txt),
            ("text/csv;q=2, text/plain", .txt), ("text/csv;q=-1", .json), ("text/csv;q", .csv),
            ("text/csv;q=1.5, text/plain", .csv), ("text/csv;q=.5", .json),
            ("text/csv;q=1e9", .json), ("text/csv;q=0.9é", .json), ("text/csv;;q=0.5", .csv),
            (",,;,=;q=1,\",\\\"text/plain,\",text/csv", .csv), ("text/csv\"", .json),
            ("text/cs\u{212A}", .json), ("\u{1}\u{0}\u{10FFFF}", .json), ("text/ plain", .json),
            ("application/atom+xml;type=feed, application/json;q=0.9", .atom),
        ] as [(String?, EventFormat)]
    )
    func `prefers the highest weight`(accept: String?, format: EventFormat) {
        #expect(EventFormat.preferred(accept: accept) == format)
    }

    @Test(arguments: [",", ";", "\"", "\\", "a,", "text/csv;q=0,", ";q=", "=", " "])
    func `parses very long headers`(part: String) {
        let header = String(repeating: part, count: 20_000)

        #expect(EventFormat.preferred(accept: header) == .json)
        #expect(EventFormat.preferred(accept: "text/plain," + header) == .txt)
    }

    @Test func `orders the fields of JSON, CSV and GeoJSON`() {
        #expect(
            EventField.allCases.map(\.rawValue).joined(separator: " ")
                == "address ended_at id lat lon name started_at owner description url "
                + "image_url category tags status all_day series_id visibility data hidden "
                + "created_at updated_at distance bearing"
        )
        #expect(
            EventField.columns.map(\.rawValue).joined(separator: ",")
                == "id,owner,name,address,lat,lon,started_at,ended_at,description,url,"
                + "image_url,category,tags,status,all_day,series_id,visibility,data,created_at,"
                + "updated_at,distance,bearing"
        )
        #expect(
            EventField.featureProperties.map(\.rawValue).joined(separator: " ")
                == "name address started_at ended_at owner description url image_url category tags "
                + "status all_day series_id visibility data hidden created_at updated_at distance "
                + "bearing"
        )
    }
}
