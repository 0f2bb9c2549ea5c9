/// A file format of imports and exports.
package enum RecordFormat: String, CaseIterable, Sendable {
    case ndjson, csv, geojson

    /// The unit that messages count in.
    var unit: String { self == .geojson ? "feature" : "line" }

    /// Returns the format for a path's extension, or nil if the extension is unknown.
    package init?(path: String) {
        guard let dot = path.lastIndex(of: ".") else { return nil }
        switch path[path.index(after: dot)...].lowercased() {
        case "ndjson", "jsonl": self = .ndjson
        case "csv": self = .csv
        case "geojson": self = .geojson
        default: return nil
        }
    }
}
