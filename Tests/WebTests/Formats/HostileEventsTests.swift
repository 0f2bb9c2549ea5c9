import Bytes
import Events
import Foundation
import Formats
import Foundation
import Model
import Testing
import Time

@testable import Web

/// Checks that all texts are escaped; `Tests/Nearby/formats` checks the bodies with other programs.
@Suite struct HostileEventsTests {
    private let events = HostileEvents.make(count: 1000)

    @Test func `writes calendars with short lines and without control characters`() {
        let body = Self.body(.ics, of: events)
        let text = String(decoding: body, as: UTF8.self)
        let lines = text.split(separator: "\r\n" as Character).map(String.init)

        #expect(Array(text.utf8) == body)
        #expect(lines.allSatisfy { $0.utf8.count <= 75 })
        #expect(!lines.joined().unicodeScalars.contains { $0.isControl })
        #expect(lines.count { $0 == "BEGIN:VEVENT" } == 1000)
        #expect(lines.count { $0 == "END:VEVENT" } == 1000)
        #expect(lines.count { $0.utf8.starts(with: "SUMMARY:".utf8) } == 1000)
    }

    @Test func `writes feeds with only the characters that XML allows`() {
        let body = Self.body(.atom, of: events)
        let text = String(decoding: body, as: UTF8.self)

        #expect(Array(text.utf8) == body)
        #expect(text.unicodeScalars.allSatisfy { $0.isXML })
        #expect(text.split(separator: "<entry>").count == 1001)
        #expect(text.split(separator: "</entry>").count == 1001)
        let attributes = events.map(\.event.attributes)
        let terms = attributes.reduce(0) { $0 + $1.terms.count }
        let links = attributes.count { $0[.url] != nil }
        #expect(text.count { $0 == "<" } == 12 + 2 + 1000 * 14 + terms + links)
    }

    @Test func `writes a line for each event`() {
        let body = Self.body(.txt, of: events)
        let text = String(decoding: body, as: UTF8.self)

        #expect(Array(text.utf8) == body)
        #expect(text.split(separator: "\n").count == 1000)
        #expect(text.unicodeScalars.count { $0.isControl } == 1000)
    }

    /// Writes the bodies to a folder for `Tests/Nearby/formats`, if one is set.
    @Test(.enabled(if: Self.folder != nil), arguments: EventFormat.allCases)
    func `writes files`(format: EventFormat) throws {
        let folder = URL(fileURLWithPath: try #require(Self.folder))
        let file = folder.appendingPathComponent("events.\(format.suffix)")

        try Data(Self.body(format, of: events)).write(to: file)
    }

    private static let folder = ProcessInfo.processInfo.environment["HUMON_TEST_FORMATS"]

    private static func body(_ format: EventFormat, of events: [DatedEvent]) -> [UInt8] {
        let origin = DirectionOrigin(Coordinate(latitude: 37.79, longitude: -122.40))
        let rows = events.map { event in
            let point = event.event.attributes.coordinate.unitVector
            return FoundEvent(
                id: 1,
                content: .event(event),
                direction: Direction(
                    from: origin,
                    to: point,
                    millimetres: origin.millimetres(to: point)
                )
            )
        }
        let presentation = EventPresentation.plain.with {
            $0.hasPoint = true
            $0.title = "\"Hostile\"; events,\r\n<of> & \u{1}\\all"
            // By default, CSV has only the old columns.
            $0.fields = format == .csv ? EventField.columns : nil
            $0.selfLink = "/v1/events.\(format.suffix)?lat=37.79&lon=-122.40&limit=1000"
        }
        return format.body(of: EventPage(rows: rows), as: presentation).bytes
    }
}
