import JSON
package import Model
import Time

/// A writer of events in one of the formats that the decoders read.
package struct EventRecordWriter: RecordWriter, Sendable {
    private let format: RecordFormat
    private var isFirst = true

    package init(format: RecordFormat) {
        self.format = format
    }

    package var head: [UInt8] {
        switch format {
        case .ndjson: []
        case .csv: Array("id,owner,name,address,lat,lon,started_at,ended_at\r\n".utf8)
        case .geojson: Array(#"{"type":"FeatureCollection","features":["#.utf8)
        }
    }

    package var tail: [UInt8] {
        format == .geojson ? Array("\n]}\n".utf8) : []
    }

    package mutating func append(_ event: EventRecord, to bytes: inout [UInt8]) {
        switch format {
        case .ndjson:
            bytes += Self.object(event)
            bytes.append(UInt8(ascii: "\n"))
        case .csv:
            Self.appendRow(event, to: &bytes)
        case .geojson:
            bytes += Array((isFirst ? "\n" : ",\n").utf8)
            bytes += Self.feature(event)
        }
        isFirst = false
    }

    private static func object(_ event: EventRecord) -> [UInt8] {
        var writer = JSONWriter()
        writer.event(id: event.id, ownerID: event.ownerID, event.attributes)
        return writer.bytes
    }

    private static func feature(_ event: EventRecord) -> [UInt8] {
        let attributes = event.attributes
        let position = [attributes.coordinate.longitude, attributes.coordinate.latitude]
        var writer = JSONWriter()
        writer.object {
            $0.field("type", "Feature")
            if let id = event.id { $0.field("id", id) }
            $0.object("geometry") {
                $0.field("type", "Point")
                $0.array("coordinates", position) { $0.value($1) }
            }
            $0.object("properties") {
                $0.field("name", attributes.name)
                $0.field("address", attributes.address)
                $0.field("started_at", attributes.startedAt)
                $0.field("ended_at", attributes.endedAt)
                $0.object("owner") { $0.field("id", event.ownerID) }
            }
        }
        return writer.bytes
    }

    private static func appendRow(_ event: EventRecord, to bytes: inout [UInt8]) {
        let attributes = event.attributes
        let cells: [String?] = [
            event.id.map { String($0) }, String(event.ownerID),
            FormulaGuard.guarded(attributes.name), attributes.address.map(FormulaGuard.guarded),
            String(attributes.coordinate.latitude), String(attributes.coordinate.longitude),
            attributes.startedAt.text, attributes.endedAt?.text,
        ]
        for (index, cell) in cells.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            if let cell { append(cell: cell, to: &bytes) }
        }
        bytes += [UInt8(ascii: "\r"), UInt8(ascii: "\n")]
    }

    /// Appends a cell; the empty text becomes `""`, which distinguishes it from null.
    private static func append(cell: String, to bytes: inout [UInt8]) {
        let needsQuotes = cell.utf8.contains {
            $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: ";")
                || $0 < UInt8(ascii: " ")
        }
        guard needsQuotes || cell.isEmpty else {
            bytes.append(contentsOf: cell.utf8)
            return
        }
        bytes.append(UInt8(ascii: "\""))
        for byte in cell.utf8 {
            if byte == UInt8(ascii: "\"") { bytes.append(byte) }
            bytes.append(byte)
        }
        bytes.append(UInt8(ascii: "\""))
    }
}
