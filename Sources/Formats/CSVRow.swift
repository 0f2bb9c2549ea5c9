import Rules

/// A scanner for the ends of rows: a line ends a row unless it ends within quotes.
struct CSVScanner {
    private enum Place {
        case cellStart, plain, quoted
        /// After a quote within quotes: the cell's end, or the first of two that mean one.
        case afterQuote
    }

    /// The separator of cells; until it is known (nil), both comma and semicolon count.
    var separator: UInt8?
    private var place = Place.cellStart

    /// Whether a quote is open.
    var isInQuotes: Bool { place == .quoted }

    /// Consumes the next byte; returns true if it is the last of a row.
    mutating func step(_ byte: UInt8) -> Bool {
        switch (place, byte) {
        case (.quoted, UInt8(ascii: "\"")): place = .afterQuote
        case (.quoted, _): break
        case (.cellStart, UInt8(ascii: "\"")), (.afterQuote, UInt8(ascii: "\"")): place = .quoted
        case (_, UInt8(ascii: "\n")):
            place = .cellStart
            return true
        case _ where isSeparator(byte): place = .cellStart
        default: place = .plain
        }
        return false
    }

    private func isSeparator(_ byte: UInt8) -> Bool {
        if let separator { return byte == separator }
        return byte == UInt8(ascii: ",") || byte == UInt8(ascii: ";")
    }
}

/// The parsing of a single row.
enum CSVRow {
    /// Returns the separator of a header's cells.
    ///
    /// It is a comma if there is one outside of quotes, or else a semicolon, which spreadsheets
    /// write in many countries, or else a tab, or else a comma. Files with tabs are rejected. A tab
    /// is only detected for the error message.
    static func separator(ofHeader bytes: Span<UInt8>) -> UInt8 {
        var isInQuotes = false
        var found = UInt8(ascii: ",")
        for index in bytes.indices {
            switch bytes[index] {
            case UInt8(ascii: "\""): isInQuotes.toggle()
            case UInt8(ascii: ",") where !isInQuotes: return UInt8(ascii: ",")
            case UInt8(ascii: ";") where !isInQuotes: found = UInt8(ascii: ";")
            case UInt8(ascii: "\t") where !isInQuotes && found != UInt8(ascii: ";"):
                found = UInt8(ascii: "\t")
            default: break
            }
        }
        return found
    }

    /// Returns the separator that a line such as `sep=;` names; nil for any other line.
    static func separator(namedBy bytes: Span<UInt8>) -> UInt8? {
        var line = bytes.extracting(..<endWithoutLineBreak(bytes))
        if line.count == 7, line[0] == UInt8(ascii: "\""), line[6] == UInt8(ascii: "\"") {
            line = line.extracting(1..<6)
        }
        guard line.count == 5, (0x01...0x7E).contains(line[4]) else { return nil }
        for (index, byte) in "sep=".utf8.enumerated() where line[index] | 0x20 != byte | 0x20 {
            return nil
        }
        return line[4]
    }

    /// Returns the cells of a row: null for an empty cell, otherwise text.
    ///
    /// An empty line has no cells. O(n).
    static func cells(
        in bytes: Span<UInt8>,
        partedBy separator: UInt8
    ) throws(RecordError) -> [Input] {
        let end = endWithoutLineBreak(bytes)
        guard end > 0 else { return [] }
        var cells: [Input] = []
        cells.reserveCapacity(8)
        var offset = 0
        while true {
            cells.append(
                offset < end && bytes[offset] == UInt8(ascii: "\"")
                    ? try quotedCell(bytes, &offset, end, separator)
                    : try plainCell(bytes, &offset, end, separator)
            )
            guard offset < end else { return cells }
            // Every cell ends before a separator or at the end of the row.
            offset += 1
        }
    }

    private static func endWithoutLineBreak(_ bytes: Span<UInt8>) -> Int {
        var end = bytes.count
        if end > 0, bytes[end - 1] == UInt8(ascii: "\n") { end -= 1 }
        if end > 0, bytes[end - 1] == UInt8(ascii: "\r") { end -= 1 }
        return end
    }

    private static func plainCell(
        _ bytes: Span<UInt8>,
        _ offset: inout Int,
        _ end: Int,
        _ separator: UInt8
    ) throws(RecordError) -> Input {
        let start = offset
        while offset < end, bytes[offset] != separator {
            guard bytes[offset] != UInt8(ascii: "\"") else {
                throw RecordError(reason: "A cell with a quote in it must be in quotes")
            }
            offset += 1
        }
        return start == offset ? .null : .text(try text(bytes.extracting(start..<offset)))
    }

    private static func quotedCell(
        _ bytes: Span<UInt8>,
        _ offset: inout Int,
        _ end: Int,
        _ separator: UInt8
    ) throws(RecordError) -> Input {
        var unquoted: [UInt8] = []
        offset += 1
        while offset < end {
            let byte = bytes[offset]
            offset += 1
            if byte == UInt8(ascii: "\"") {
                guard offset < end, bytes[offset] == byte else {
                    guard offset == end || bytes[offset] == separator else {
                        throw RecordError(reason: "There is text after a closing quote")
                    }
                    return .text(try text(unquoted.span))
                }
                offset += 1
            }
            unquoted.append(byte)
        }
        throw RecordError(reason: "A quote is not closed")
    }

    private static func text(_ bytes: Span<UInt8>) throws(RecordError) -> String {
        do {
            return String(copying: try UTF8Span(validating: bytes))
        } catch {
            throw RecordError(reason: "The text is not UTF-8")
        }
    }
}
