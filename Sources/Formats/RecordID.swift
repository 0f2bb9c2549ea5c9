import Model

/// The id that a record of a file has been given.
enum RecordID {
    /// A positive whole number, written as a number or as digits; nil for anything else.
    static func value(of input: Input) -> Int64? {
        guard let id = input.recordID, id > 0 else { return nil }
        return id
    }

    /// As `value(of:)`, or nil where nothing was said; anything else is added to `reasons`.
    static func optional(_ input: Input, _ reasons: inout [String]) -> Int64? {
        let id = value(of: input)
        if id == nil, !input.isBlank { reasons.append("Id is invalid") }
        return id
    }
}
