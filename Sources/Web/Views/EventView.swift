import Events
import Formats
import HTTP
import JSON

/// Events as JSON, and pages of them as JSON and GeoJSON (RFC 7946), each in one line.
enum EventView {
    /// Returns a function that returns the entity tag of the response with an event of this owner.
    static func etag(ofOwnerNamed name: String?) -> @Sendable (Event) -> String {
        { event in
            var event = event
            event.ownerName = name
            return ETag.make(for: EventRepresentation.json.event(event).span)
        }
    }

    static func json(_ page: EventPage, _ presentation: EventPresentation) -> ListBody {
        func document(_ json: inout JSONWriter, _ events: (inout JSONWriter) -> Void) {
            json.object {
                $0.counts(page.count)
                $0.key("events")
                events(&$0)
                $0.field("next", presentation.cursor)
            }
        }
        guard presentation.fields == nil else {
            let fields = presentation.present(of: EventField.allCases)
            let rows = page.eventRows
            return .json(rows, ending: "\n", in: document) {
                row,
                json in
                json.object { $0.fields(fields, of: row, presentation.unit) }
            }
        }
        return .json(page.rows, ending: "\n", in: document) { row, json in
            json.event(row, presentation)
        }
    }

    static func geoJSON(_ page: EventPage, _ presentation: EventPresentation) -> ListBody {
        let properties = presentation.present(of: EventField.featureProperties)
        let rows = page.eventRows
        func document(_ json: inout JSONWriter, _ features: (inout JSONWriter) -> Void) {
            json.object {
                $0.field("type", "FeatureCollection")
                $0.counts(page.count)
                $0.key("features")
                features(&$0)
                $0.field("next", presentation.cursor)
            }
        }
        return .json(rows, ending: "\n", in: document) { row, json in
            json.feature(row.record) { $0.fields(properties, of: row, presentation.unit) }
        }
    }

    static func feature(_ row: EventRow) -> [UInt8] {
        var writer = JSONWriter()
        writer.feature(row.record) {
            for property in EventField.properties + [.hidden] {
                $0.field(property, of: row.record)
            }
        }
        return writer.bytes + [UInt8(ascii: "\n")]
    }
}

extension FoundEvent {
    /// The event's JSON.
    var json: ArraySlice<UInt8> {
        switch content {
        case .json(let bytes): bytes
        case .event(let dated): EventRepresentation.json.event(dated.event)[...]
        }
    }
}

extension JSONWriter {
    /// Writes the number of matching events, if it was counted.
    mutating func counts(_ count: EventCount?) {
        guard let count else { return }
        field("count", count.count)
        field("count_is_exact", count.isExact)
    }

    /// Writes an event with the default fields.
    fileprivate mutating func event(_ row: FoundEvent, _ presentation: EventPresentation) {
        let json = row.json
        guard presentation.hasPoint else { return encoded(json.span) }
        object(extending: json.span) { $0.direction(row.direction, presentation.unit) }
    }

    /// Writes the direction of an event from the query's point as members.
    mutating func direction(_ direction: Direction?, _ unit: DistanceUnit) {
        distance(direction, unit)
        bearing(direction)
    }

    private mutating func distance(_ direction: Direction?, _ unit: DistanceUnit) {
        guard let direction, let decimals = unit.decimals else {
            let distance = direction.map { unit.distance(ofMillimetres: $0.millimetres) }
            return field("distance", distance)
        }
        field("distance", units: direction.millimetres, decimals: decimals)
    }

    private mutating func bearing(_ direction: Direction?) {
        field("bearing", units: direction?.bearingTenths.map(Int64.init), decimals: 1)
    }

    /// Writes these fields of an event as members.
    fileprivate mutating func fields(
        _ fields: [EventField],
        of row: EventRow,
        _ unit: DistanceUnit
    ) {
        for field in fields {
            switch field {
            case .createdAt: self.field("created_at", row.event.createdAt)
            case .updatedAt: self.field("updated_at", row.event.updatedAt)
            case .distance: distance(row.direction, unit)
            case .bearing: bearing(row.direction)
            default: self.field(field, of: row.record)
            }
        }
    }
}
