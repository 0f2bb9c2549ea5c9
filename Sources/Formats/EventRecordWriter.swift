import Events
import JSON
package import Model

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
        case .csv: Self.header
        case .geojson: Array(#"{"type":"FeatureCollection","features":["#.utf8)
        }
    }

    package var tail: [UInt8] {
        format == .geojson ? Array("\n]}\n".utf8) : []
    }

    package mutating func append(_ event: EventRecord, to bytes: inout [UInt8]) {
        switch format {
        case .ndjson:
            JSONWriter.append(to: &bytes) { $0.event(event, namesCause: true) }
            bytes.append(UInt8(ascii: "\n"))
        case .csv:
            CSVWriter.append(row: EventField.exported.map { $0.cell(of: event) }, to: &bytes)
        case .geojson:
            bytes += Array((isFirst ? "\n" : ",\n").utf8)
            JSONWriter.append(to: &bytes) { json in
                json.feature(event) {
                    for property in EventField.properties { $0.field(property, of: event) }
                }
            }
        }
        isFirst = false
    }

    private static let header = {
        var bytes: [UInt8] = []
        CSVWriter.append(row: EventField.exported.map(\.rawValue), to: &bytes)
        return bytes
    }()
}
