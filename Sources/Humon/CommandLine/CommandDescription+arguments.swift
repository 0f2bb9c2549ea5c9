import Model

extension CommandDescription.Option {
    /// What is imported or exported, under two names.
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
    /// Refuses what stands after the expected arguments.
    func end(after count: Int = 0) throws(UsageError) {
        guard let extra = positional.dropFirst(count).first else { return }
        throw UsageError("\"\(extra)\" is one argument too many.")
    }

    /// The only argument, the path of a file.
    func file(of command: String) throws(UsageError) -> String {
        guard let path = positional.first, !path.isEmpty else { throw .missing("FILE", command) }
        try end(after: 1)
        return path
    }

    /// The only argument, which must be an e-mail address.
    func email(of command: String) throws(UsageError) -> EmailAddress {
        guard let text = positional.first else { throw .missing("EMAIL", command) }
        try end(after: 1)
        guard let email = EmailAddress(text) else {
            throw UsageError("\"\(text)\" is not an e-mail address.")
        }
        return email
    }

    /// What `--of` or `--kind` names.
    func kind() throws(UsageError) -> RecordKind {
        if let of = options["of"], let kind = options["kind"], of != kind {
            throw UsageError("--of is \(of) and --kind is \(kind); give one of them.")
        }
        guard let text = options["of"] ?? options["kind"] else { return .events }
        guard let kind = RecordKind(rawValue: text.lowercased()) else {
            let kinds = Setting.alternatives(RecordKind.allCases.map(\.rawValue))
            throw UsageError("\"\(text)\" is not \(kinds).")
        }
        return kind
    }

    /// The format that `--format` or the file's name tells, or else the only one there can be;
    /// without a path, for standard output, NDJSON.
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
                "The format of \(kind.plural) can't be \(format.rawValue), only ndjson."
            )
        }
        return format
    }

    /// The owner of the events that name none.
    func owner(of kind: RecordKind) throws(UsageError) -> Int64? {
        guard let text = options["owner"] else { return nil }
        guard kind == .events else {
            throw UsageError("--owner is for events; \(kind.plural) have no owner.")
        }
        guard let id = Int64(text), id > 0 else {
            throw UsageError("\"\(text)\" is not the id of a user.")
        }
        return id
    }

    /// The format of `humon settings`.
    func referenceFormat() throws(UsageError) -> SettingsReference.Format {
        guard let text = options["format"] else { return .text }
        guard let format = SettingsReference.Format(rawValue: text.lowercased()) else {
            throw UsageError("The format \"\(text)\" is not text, markdown or env.")
        }
        return format
    }

    fileprivate func format() throws(UsageError) -> RecordFormat? {
        guard let text = options["format"] else { return nil }
        guard let format = RecordFormat(rawValue: text.lowercased()) else {
            throw UsageError("The format \"\(text)\" is not ndjson, csv or geojson.")
        }
        return format
    }
}

extension UsageError {
    static func missing(_ argument: String, _ command: String) -> UsageError {
        UsageError("\(argument) is missing; see `humon help \(command)`.")
    }

    fileprivate static func unknownFormat(of path: String) -> UsageError {
        UsageError(
            "The name \"\(path)\" does not end in .ndjson, .csv or .geojson; add --format."
        )
    }
}
