import Events
import Formats
import Rules
import Settings

// What `humon import` and `humon export` have in common.

extension CommandDescription.Option {
    /// The two flags for the kind of record, which mean the same.
    static let kinds = [
        Self(
            name: "of",
            value: "KIND",
            meaning: Setting.alternatives(RecordKind.allCases.map(\.rawValue))
                + "; default: events."
        ),
        Self(name: "kind", value: "KIND", meaning: "The same as --of."),
    ]
}

extension Arguments {
    /// Returns the kind of record that `--of` or `--kind` names.
    func kind() throws(UsageError) -> RecordKind {
        if let of = options["of"], let kind = options["kind"], of != kind {
            throw UsageError("--of is \(of) and --kind is \(kind). Use only one of them.")
        }
        guard let text = options["of"] ?? options["kind"] else { return .events }
        guard let kind = RecordKind(rawValue: text.lowercased()) else {
            let kinds = Setting.alternatives(RecordKind.allCases.map(\.rawValue))
            throw UsageError("The kind of record is \"\(text)\", but must be \(kinds).")
        }
        return kind
    }

    /// Returns the format that `--format` or the file's extension names.
    ///
    /// Otherwise it is the kind's only format, and NDJSON for standard output.
    func format(of kind: RecordKind, path: String?) throws(UsageError) -> RecordFormat {
        let isClear = path == nil || kind.formats.count == 1
        let named = try format() ?? path.flatMap { RecordFormat(path: $0) }
        guard let format = named ?? (isClear ? .ndjson : nil) else {
            let name = path ?? ""
            throw UsageError(
                "The name \"\(name)\" does not end in .ndjson, .csv or .geojson. Add --format."
            )
        }
        guard kind.formats.contains(format) else {
            throw UsageError(
                "Records of the kind \(kind.plural) can't be \(format.rawValue), only ndjson."
            )
        }
        return format
    }

    private func format() throws(UsageError) -> RecordFormat? {
        guard let text = options["format"] else { return nil }
        guard let format = RecordFormat(rawValue: text.lowercased()) else {
            throw UsageError("--format is \"\(text)\", but must be ndjson, csv or geojson.")
        }
        return format
    }
}

/// The notes that `humon help import` and `humon help export` share.
enum TransferHelp {
    /// The fields of each kind of record.
    static let fields = """
        Fields (those in brackets are optional):
          events        \(eventFields)
          attendances   [id], event, user
          tasks         [id], email, [title], [completed], [created_at], [updated_at]
          shared-tasks  [id], taskID, name, [completed]
          checkins      [id], nombre, categoria, calificacion, latitud, longitud, usuario,
                        fechaCreacion; each is optional
        Events can be .ndjson, .csv or .geojson. Only .ndjson has hidden, the cause why an event is
        hidden. All other records are .ndjson. A line of an .ndjson file of events can also be a
        GeoJSON feature. GeoJSON is WGS 84: another crs is rejected.
        """

    private static let eventFields = [
        names(EventField.always), names(EventField.details.prefix(6)),
        names(EventField.details.dropFirst(6)),
    ].joined(separator: ",\n                ")

    private static func names(_ fields: some Sequence<EventField>) -> String {
        fields.map { field in
            let isOptional = field == .id || field.column?.column.isOptional == true
            return isOptional ? "[\(field.rawValue)]" : field.rawValue
        }.joined(separator: ", ")
    }

    /// The rules for CSV files.
    static let csv = """
        CSV: the first line names the columns, in any order and in any case; other columns are
        ignored, and rows of blank cells are skipped. Columns are separated by commas or
        semicolons, not by tabs; a line sep=; before the header names the separator. With
        semicolons, lat and lon can have a decimal comma. Files are UTF-8, not UTF-16. Lines end
        with LF or CRLF. lat and lon are degrees. Times are like 2030-09-16T12:00:00Z; without
        an offset they are UTC. owner is the id of a user. Spreadsheets run cells that begin
        with = + - @, a tab or a carriage return as formulas, so an export writes an apostrophe
        before such a text, unless it is a number. An import removes the apostrophe.
        """
}
