import Events
import Formats
import Model
import Support
import Testing
import Time

@testable import Web

@Suite struct EventTableTests {
    @Test func `writes the header of an empty page`() {
        #expect(
            EventFormat.csv.text(of: [] as [DatedEvent])
                == "id,owner,name,address,lat,lon,started_at,ended_at\r\n"
        )
    }

    @Test func `writes the selected columns in a fixed order`() {
        let presentation = EventPresentation.plain.with {
            $0.hasPoint = true
            $0.unit = .metres
            $0.fields = EventField.allCases.reversed()
        }
        let page = EventPage(rows: [
            .event(.picnic(), millimetres: 1500, bearingTenths: 5),
            .event(.picnic(id: 8, address: ""), millimetres: 0),
        ])

        #expect(
            EventFormat.csv.text(of: page, as: presentation) == """
                id,owner,name,address,lat,lon,started_at,ended_at,description,url,image_url,\
                category,tags,status,series_id,visibility,data,created_at,updated_at,\
                distance,bearing\r
                7,3,Picnic,,37.76,-122.43,2030-09-16T12:00:00.000Z,,,,,,,,,,,\
                2026-05-01T10:11:12.345Z,2026-05-02T08:00:00.000Z,1.5,0.5\r
                8,3,Picnic,"",37.76,-122.43,2030-09-16T12:00:00.000Z,,,,,,,,,,,\
                2026-05-01T10:11:12.345Z,\
                2026-05-02T08:00:00.000Z,0.0,\r\n
                """
        )
        #expect(
            EventFormat.csv.text(of: page, as: presentation.with { $0.fields = [.bearing, .lon] })
                == "lon,bearing\r\n-122.43,0.5\r\n-122.43,\r\n"
        )
    }

    @Test(
        arguments: [
            ("=1+2", "'=1+2"), ("+49 30", "'+49 30"), ("-x", "'-x"), ("@A1", "'@A1"),
            ("\t1", "\"'\t1\""), ("\r1", "\"'\r1\""), ("-5", "-5"), ("'=1", "''=1"),
            ("a;b", "\"a;b\""), ("\"a,\n", "\"\"\"a,\n\""),
        ]
    )
    func `escapes formulas`(text: String, cell: String) {
        #expect(
            EventFormat.csv.text(of: [.picnic(name: text, address: text)])
                == "id,owner,name,address,lat,lon,started_at,ended_at\r\n"
                + "7,3,\(cell),\(cell),37.76,-122.43,2030-09-16T12:00:00.000Z,\r\n"
        )
    }

    @Test(arguments: [(EventFormat.csv, RecordFormat.csv), (.geojson, .geojson)])
    func `writes importable pages`(format: EventFormat, recordFormat: RecordFormat) throws {
        let events = HostileEvents.make(count: 300)
        let presentation = EventPresentation.plain.with { $0.hasPoint = true }
        let rows = events.map { FoundEvent.event($0, millimetres: 5, bearingTenths: 900) }
        let body = format.body(of: EventPage(rows: rows), as: presentation).bytes

        let file = try TemporaryFile(body)
        var reader = try RecordReader<EventRecord>(path: file.path, format: recordFormat)
        var records: [EventRecord] = []
        while let record = try reader.next() { records.append(try record.result.get()) }

        #expect(
            records
                == events.map { event in
                    let event = event.event
                    return EventRecord(
                        id: event.id,
                        ownerID: event.ownerID,
                        attributes: event.attributes
                    )
                }
        )
    }
}
