import Events
import Model
import Rules

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
        orElse defaultOwnerID: Int64?,
        draft: EventDraft
    ) throws(RecordError) {
        var reasons: [String] = []
        var attributes: EventAttributes?
        do throws(ModelError) {
            attributes = try draft.attributes()
        } catch {
            reasons = error.sentences
        }
        let ownerID = owner.isBlank ? defaultOwnerID : RecordID.parse(owner)
        if ownerID == nil {
            reasons.append(owner.isBlank ? "Owner can't be blank" : "Owner is invalid")
        }
        let id = RecordID.optional(id, &reasons)
        guard let attributes, let ownerID, reasons.isEmpty else { throw RecordError(reasons) }
        self.init(id: id, ownerID: ownerID, attributes: attributes)
    }
}

extension EventRecord: FileRecord {
    static let kind = RecordKind.events

    static func decoder(
        for format: RecordFormat,
        ownerID: Int64?
    ) -> any RecordDecoder<EventRecord> {
        switch format {
        case .ndjson:
            NDJSONDecoder { object throws(RecordError) in
                try EventRecord(line: object, ownerID: ownerID)
            }
        case .csv: CSVDecoder(ownerID: ownerID)
        case .geojson: GeoJSONDecoder(ownerID: ownerID)
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
