import Events
import Foundation
import JSON
import Testing
import Time

@testable import Web

extension DatedEvent {
    /// An event at 2030-09-16T12:00:00.000Z, created in May 2026.
    static func picnic(
        id: Int64 = 7,
        ownerID: Int64 = 3,
        name: String = "Picnic",
        address: String? = nil,
        latitude: Double = 37.76,
        longitude: Double = -122.43,
        startedAt: String = "2030-09-16T12:00:00.000Z",
        endedAt: String? = nil
    ) -> DatedEvent {
        DatedEvent(
            Event(
                id: id,
                ownerID: ownerID,
                attributes: EventAttributes(
                    name: name,
                    address: address,
                    coordinate: Coordinate(latitude: latitude, longitude: longitude),
                    startedAt: .at(startedAt),
                    endedAt: endedAt.map(Timestamp.at)
                )
            ),
            createdAt: .at("2026-05-01T10:11:12.345Z"),
            updatedAt: .at("2026-05-02T08:00:00.000Z")
        )
    }
}

extension Timestamp {
    /// Parses a valid time.
    static func at(_ text: String) -> Timestamp {
        Timestamp(parsing: text) ?? .latest
    }
}

extension FoundEvent {
    static func event(
        _ event: DatedEvent,
        millimetres: Int64? = nil,
        bearingTenths: Int? = nil
    ) -> FoundEvent {
        FoundEvent(
            id: 1,
            content: .event(event),
            direction: millimetres.map {
                Direction(millimetres: $0, bearingTenths: bearingTenths)
            }
        )
    }
}

extension EventPresentation {
    /// Returns the presentation of a query's first page, without a point.
    static var plain: EventPresentation {
        EventPresentation(
            hasPoint: false,
            title: "Events",
            selfLink: "/v1/events",
            installation: "8c5b04b3-9c4f-4f29-9d34-0c4c2f3b0c51",
            filterText: ""
        )
    }

    /// Returns a changed copy of this presentation.
    func with(_ change: (inout EventPresentation) -> Void) -> EventPresentation {
        var changed = self
        change(&changed)
        return changed
    }
}

extension EventFormat {
    /// Returns the body of a page as text.
    func text(of page: EventPage, as presentation: EventPresentation) -> String {
        String(decoding: body(of: page, as: presentation).bytes, as: UTF8.self)
    }

    /// Returns the body of a page with these events, without a point, as text.
    func text(of events: [DatedEvent], as presentation: EventPresentation = .plain) -> String {
        text(of: EventPage(rows: events.map { .event($0) }), as: presentation)
    }
}

/// The example events and responses of the specification.
enum SearchExamples {
    /// The events of `events.ndjson`, ordered by start, as in the responses.
    static func events() throws -> [DatedEvent] {
        let lines = try text(of: "events.ndjson").split(separator: "\n")
        return try lines.map { try event(String($0)) }.sorted {
            $0.event.attributes.startedAt < $1.event.attributes.startedAt
        }
    }

    static func text(of file: String) throws -> String {
        let folder = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
            .deletingLastPathComponent().appendingPathComponent("Examples")
        let data = try Data(contentsOf: folder.appendingPathComponent(file))
        return String(decoding: data, as: UTF8.self)
    }

    private static func event(_ line: String) throws -> DatedEvent {
        guard case .object(let members) = try JSONParser.parse(line.utf8.span, maximumDepth: 4),
            case .object(let owner)? = members["owner"],
            let id = integer(members["id"]), let ownerID = integer(owner["id"]),
            case .number(let latitude)? = members["lat"], let latitude = Double(latitude),
            case .number(let longitude)? = members["lon"], let longitude = Double(longitude),
            let name = string(members["name"]), let startedAt = time(members["started_at"]),
            let createdAt = time(members["created_at"]), let updatedAt = time(members["updated_at"])
        else { throw CocoaError(.fileReadCorruptFile) }
        let attributes = EventAttributes(
            name: name,
            address: string(members["address"]),
            coordinate: Coordinate(latitude: latitude, longitude: longitude),
            startedAt: startedAt,
            endedAt: time(members["ended_at"])
        )
        return DatedEvent(
            Event(id: id, ownerID: ownerID, attributes: attributes),
            createdAt: createdAt,
            updatedAt: updatedAt
        )
    }

    private static func integer(_ value: JSONValue?) -> Int64? {
        if case .number(let number) = value { Int64(number) } else { nil }
    }

    private static func string(_ value: JSONValue?) -> String? {
        if case .string(let text) = value { text } else { nil }
    }

    private static func time(_ value: JSONValue?) -> Timestamp? {
        string(value).flatMap { Timestamp(parsing: $0) }
    }
}
