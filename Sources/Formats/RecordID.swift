import Model

/// The parsing of ids in files.
enum RecordID {
    /// Returns the record's own id, or nil if it is blank; anything else is added to `reasons`.
    static func optional(_ input: Input, _ reasons: inout [String]) -> Int64? {
        let id = input.recordID
        if id == nil, !input.isBlank { reasons.append("Id is invalid") }
        return id
    }
}
