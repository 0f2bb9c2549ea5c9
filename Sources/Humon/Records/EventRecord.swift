package import Model

/// An event as it stands in a file: with its owner, and with its id if it has one already.
package struct EventRecord: Equatable, Sendable {
    package let id: Int64?
    package let ownerID: Int64
    package let attributes: EventAttributes

    package init(id: Int64?, ownerID: Int64, attributes: EventAttributes) {
        self.id = id
        self.ownerID = ownerID
        self.attributes = attributes
    }

    /// Holds the values to the same rules as an event that a client sends.
    ///
    /// An id is a positive whole number, written as a number or as digits; that of the event may be
    /// blank.
    ///
    /// - Throws: `RecordError` with every rule that is broken.
    init(id: Input, owner: Input, draft: EventDraft) throws(RecordError) {
        var reasons: [String] = []
        var attributes: EventAttributes?
        do {
            attributes = try draft.attributes()
        } catch ModelError.invalid(let errors) {
            reasons = errors.map(\.sentence)
        } catch {
            reasons = ["The event is invalid"]
        }
        let ownerID = Self.recordID(owner)
        if ownerID == nil {
            reasons.append(Self.isBlank(owner) ? "Owner can't be blank" : "Owner is invalid")
        }
        self.id = Self.recordID(id)
        if self.id == nil, !Self.isBlank(id) { reasons.append("Id is invalid") }
        guard let attributes, let ownerID, reasons.isEmpty else {
            throw RecordError(reason: reasons.joined(separator: "; "))
        }
        self.ownerID = ownerID
        self.attributes = attributes
    }

    private static func isBlank(_ input: Input) -> Bool {
        [.absent, .null, .text("")].contains(input)
    }

    private static func recordID(_ input: Input) -> Int64? {
        switch input {
        case .number(let text), .text(let text):
            // Int64 would take a plus sign too.
            guard text.utf8.first != UInt8(ascii: "+"), let id = Int64(text), id > 0 else {
                return nil
            }
            return id
        case .absent, .null, .boolean, .structure:
            return nil
        }
    }
}

/// Why one record of a file is no event; the others may be.
package struct RecordError: Error, Equatable {
    /// Without a full stop, such as `Lat is not a number; Name can't be blank`.
    package let reason: String

    package init(reason: String) {
        self.reason = reason
    }
}

/// Why a file can't be read any further.
package struct RecordFileError: Error, Equatable {
    /// Without a full stop.
    package let reason: String

    package init(reason: String) {
        self.reason = reason
    }
}

/// What became of one record of a file.
package struct NumberedRecord: Equatable, Sendable {
    /// Counted from 1: the line where the record begins, or the feature's place in a GeoJSON file.
    package let number: Int
    package let result: Result<EventRecord, RecordError>

    package init(number: Int, result: Result<EventRecord, RecordError>) {
        self.number = number
        self.result = result
    }
}
