package import Events
import Model
import Rules

/// The values that an import adds to the events of a file, or leaves out.
package struct EventDefaults: Equatable, Sendable {
    /// The owner of events without one; nil if each must have its own.
    package var ownerID: Int64?
    /// The columns of `EventColumn.details` whose values are left out.
    package var ignored: [EventColumn]

    package init(ownerID: Int64? = nil, ignored: [EventColumn] = []) {
        self.ownerID = ownerID
        self.ignored = ignored
    }
}

extension EventRecord {
    /// Validates the values by the rules for an event that a client sends.
    ///
    /// An id is a positive whole number, as a number or as digits, also with a decimal part of
    /// zeros. The id of the event may be blank. An event without an owner gets the default owner,
    /// if there is one.
    ///
    /// - Throws: `RecordError` with every rule that is broken.
    init(
        id: Input,
        owner: Input,
        _ defaults: EventDefaults,
        draft: EventDraft,
        hidden: Input = .absent
    ) throws(RecordError) {
        var reasons: [String] = []
        var attributes: EventAttributes?
        var draft = draft
        for column in defaults.ignored { draft[column] = .absent }
        do throws(ModelError) {
            attributes = try draft.attributes()
        } catch {
            reasons = error.sentences
        }
        let ownerID = owner.isBlank ? defaults.ownerID : RecordID.parse(owner)
        if ownerID == nil {
            reasons.append(owner.isBlank ? "Owner can't be blank" : "Owner is invalid")
        }
        let id = RecordID.optional(id, &reasons)
        let cause = hidden.spelling.flatMap(HidingCause.init(named:))
        if !hidden.isBlank, cause == nil { reasons.append("Hidden is invalid") }
        guard let attributes, let ownerID, reasons.isEmpty else { throw RecordError(reasons) }
        self.init(id: id, ownerID: ownerID, attributes: attributes, hidden: cause)
    }
}

extension EventRecord: FileRecord {
    static let kind = RecordKind.events

    static func decoder(
        for format: RecordFormat,
        _ defaults: EventDefaults
    ) -> any RecordDecoder<EventRecord> {
        switch format {
        case .ndjson:
            NDJSONDecoder { object throws(RecordError) in
                try EventRecord(line: object, defaults)
            }
        case .csv: CSVDecoder(defaults)
        case .geojson: GeoJSONDecoder(defaults)
        }
    }

    static func writer(for format: RecordFormat) -> any RecordWriter<EventRecord> {
        EventRecordWriter(format: format)
    }
}

extension ModelError {
    /// A sentence without a full stop for each attribute that breaks a rule.
    var sentences: [String] {
        guard case .invalid(let errors) = self else { return ["The record is invalid"] }
        return errors.map(\.sentence)
    }
}
