import Model

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

extension CommandDescription.Arguments {
    /// Throws if there are more than `count` positional arguments.
    func end(after count: Int = 0) throws(UsageError) {
        guard let extra = positional.dropFirst(count).first else { return }
        throw UsageError("Unexpected argument \"\(extra)\".")
    }

    /// Returns the only argument, the path of a file.
    func file(of command: String) throws(UsageError) -> String {
        guard let path = positional.first, !path.isEmpty else { throw .missing("FILE", command) }
        try end(after: 1)
        return path
    }

    /// Returns the only argument, an e-mail address.
    func email(of command: String) throws(UsageError) -> EmailAddress {
        guard let text = positional.first else { throw .missing("EMAIL", command) }
        try end(after: 1)
        guard let email = EmailAddress(text) else {
            throw UsageError("\"\(text)\" is not an e-mail address.")
        }
        return email
    }

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
    func format(
        of kind: RecordKind,
        path: String?
    ) throws(UsageError) -> RecordFormat {
        let isClear = path == nil || kind.formats.count == 1
        let named = try format() ?? path.flatMap { RecordFormat(path: $0) }
        guard let format = named ?? (isClear ? .ndjson : nil) else {
            throw .unknownFormat(of: path ?? "")
        }
        guard kind.formats.contains(format) else {
            throw UsageError(
                "Records of the kind \(kind.plural) can't be \(format.rawValue), only ndjson."
            )
        }
        return format
    }

    /// Returns the owner of events without one.
    func owner(of kind: RecordKind) throws(UsageError) -> Int64? {
        guard let text = options["owner"] else { return nil }
        guard kind == .events else {
            throw UsageError("--owner is only for events: \(kind.plural) have no owner.")
        }
        guard let id = Int64(text), id > 0 else {
            throw UsageError("\"\(text)\" is not a user's id. Ids are whole numbers from 1.")
        }
        return id
    }

    /// Returns the format for `humon settings`.
    func referenceFormat() throws(UsageError) -> SettingsReference.Format {
        guard let text = options["format"] else { return .text }
        guard let format = SettingsReference.Format(rawValue: text.lowercased()) else {
            throw UsageError("--format is \"\(text)\", but must be text, markdown or env.")
        }
        return format
    }

    fileprivate func format() throws(UsageError) -> RecordFormat? {
        guard let text = options["format"] else { return nil }
        guard let format = RecordFormat(rawValue: text.lowercased()) else {
            throw UsageError("--format is \"\(text)\", but must be ndjson, csv or geojson.")
        }
        return format
    }
}

extension UsageError {
    static func missing(_ argument: String, _ command: String) -> UsageError {
        UsageError("\(argument) is missing. See `humon help \(command)`.")
    }

    fileprivate static func unknownFormat(of path: String) -> UsageError {
        UsageError(
            "The name \"\(path)\" does not end in .ndjson, .csv or .geojson. Add --format."
        )
    }
}
