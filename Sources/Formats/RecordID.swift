import Model

/// The parsing of ids in files.
enum RecordID {
    /// Returns a positive whole number, written as a number or as digits; nil for anything else.
    static func value(of input: Input) -> Int64? {
        guard let id = input.recordID, id > 0 else { return nil }
        return id
    }

    /// Returns `value(of:)`, and adds an error to `reasons` if the input is invalid and not blank.
    static func optional(_ input: Input, _ reasons: inout [String]) -> Int64? {
        let id = value(of: input)
        if id == nil, !input.isBlank { reasons.append("Id is invalid") }
        return id
    }
}
