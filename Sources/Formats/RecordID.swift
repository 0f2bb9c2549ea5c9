import Rules

/// The parsing of ids in files.
enum RecordID {
    /// Returns the id that a value is, nil if it is not an id.
    ///
    /// Spreadsheets and data frames write the whole numbers of a column with gaps as `7001.0`.
    static func parse(_ input: Input) -> Int64? {
        switch input {
        case .number(let text), .text(let text):
            guard let point = text.utf8.firstIndex(of: UInt8(ascii: ".")) else { break }
            let decimals = text.utf8[text.utf8.index(after: point)...]
            guard !decimals.isEmpty, decimals.allSatisfy({ $0 == UInt8(ascii: "0") }) else {
                return nil
            }
            return Input.text(String(text[..<point])).recordID
        case .absent, .null, .boolean, .list, .object: break
        }
        return input.recordID
    }

    /// Returns the record's own id, or nil if it is blank; anything else is added to `reasons`.
    static func optional(_ input: Input, _ reasons: inout [String]) -> Int64? {
        let id = parse(input)
        if id == nil, !input.isBlank { reasons.append("Id is invalid") }
        return id
    }
}
