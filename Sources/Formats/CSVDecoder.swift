import Events
import Model
import Rules

/// A decoder for comma-separated values (RFC 4180) whose first row names the columns in any order.
///
/// The columns are those of exports, in upper or lower case. The columns of values that can be
/// missing are optional, and so is `owner` if there is one for all events. Other columns are
/// skipped. An empty cell is null, and `""`, in quotes, is the empty text. Rows of blank cells are
/// skipped, because spreadsheets write them. Lines may end with LF, but not with CR alone. Cells
/// may be separated by semicolons, and numbers may have a decimal comma then. Before the header, a
/// line such as `sep=;` may name the separator. `FormulaGuard`'s prefix is removed.
struct CSVDecoder: RecordDecoder {
    private let defaults: EventDefaults
    private(set) var number = 0
    /// The line of the next byte.
    private var line = 1
    /// The line of the latest opening quote.
    private var quoteLine = 1
    private var isAtRowStart = true
    /// Whether the previous byte was a CR outside of quotes.
    private var isAfterCR = false
    private var scanner = CSVScanner()
    /// The columns of the file, nil for one to skip; nil until the header has been read.
    private var columns: [EventField?]?

    /// Creates a decoder.
    ///
    /// - Parameter defaults: What to do with values that are missing or not wanted.
    init(_ defaults: EventDefaults = EventDefaults()) {
        self.defaults = defaults
    }

    mutating func segment(
        _ bytes: Span<UInt8>,
        from offset: Int
    ) throws(RecordFileError) -> Segment {
        var index = offset
        while index < bytes.count {
            if isAtRowStart {
                number = line
                isAtRowStart = false
            }
            let byte = bytes[index]
            if columns == nil { try checkLineEnd(byte) }
            let wasInQuotes = scanner.isInQuotes
            let isEnd = scanner.step(byte)
            if scanner.isInQuotes, !wasInQuotes { quoteLine = line }
            index += 1
            if byte == UInt8(ascii: "\n") { line += 1 }
            if isEnd {
                isAtRowStart = true
                return .record(end: index)
            }
        }
        return .needsMore
    }

    /// Throws if the header continues after a CR, because the whole file would be one line.
    private mutating func checkLineEnd(_ byte: UInt8) throws(RecordFileError) {
        if isAfterCR, byte != UInt8(ascii: "\n") {
            throw RecordFileError(
                reason: "The first line ends with CR alone; lines must end with LF or CRLF"
            )
        }
        isAfterCR = byte == UInt8(ascii: "\r") && !scanner.isInQuotes
    }

    mutating func decode(_ bytes: Span<UInt8>) throws(RecordFileError) -> DecodedRecord<EventRecord>
    {
        guard let columns else {
            if try !takeSeparator(from: bytes) { self.columns = try header(of: bytes) }
            return .nothing
        }
        do throws(RecordError) {
            let cells = try CSVRow.cells(in: bytes, partedBy: separator)
            if cells.allSatisfy(\.isBlank) { return .nothing }
            return .record(.success(try record(of: cells, columns)))
        } catch {
            return .record(.failure(error))
        }
    }

    var unfinished: RecordError? {
        guard scanner.isInQuotes else { return nil }
        return RecordError(reason: "The quote that opens in line \(quoteLine) is never closed")
    }

    func finish() throws(RecordFileError) -> Bool {
        if columns == nil, let unfinished {
            throw RecordFileError(reason: "The header can't be read: \(unfinished.reason)")
        }
        guard columns != nil || !isAtRowStart else {
            throw RecordFileError(reason: "The file is empty; its first line must name the columns")
        }
        return true
    }

    private var separator: UInt8 { scanner.separator ?? UInt8(ascii: ",") }

    /// Takes the separator from a line such as `sep=;`, which Excel reads and writes.
    ///
    /// - Returns: Whether it is such a line.
    private mutating func takeSeparator(from bytes: Span<UInt8>) throws(RecordFileError) -> Bool {
        let line = bytes.extracting(byteOrderMarkLength(in: bytes)...)
        guard scanner.separator == nil, let named = CSVRow.separator(namedBy: line) else {
            return false
        }
        try use(named)
        return true
    }

    private mutating func use(_ separator: UInt8) throws(RecordFileError) {
        guard [UInt8(ascii: ","), UInt8(ascii: ";")].contains(separator) else {
            let name =
                separator == UInt8(ascii: "\t") ? "tabs" : "\"\(Unicode.Scalar(separator))\""
            throw RecordFileError(
                reason:
                    "The columns are separated by \(name); separate them by commas or semicolons"
            )
        }
        scanner.separator = separator
    }

    private mutating func header(of bytes: Span<UInt8>) throws(RecordFileError)
        -> [EventField?]
    {
        if scanner.separator == nil { try use(CSVRow.separator(ofHeader: bytes)) }
        let cells: [Input]
        do throws(RecordError) {
            let header = bytes.extracting(byteOrderMarkLength(in: bytes)...)
            cells = try CSVRow.cells(in: header, partedBy: separator)
        } catch {
            throw RecordFileError(reason: "The header can't be read: \(error.reason)")
        }
        let columns = cells.map { cell -> EventField? in
            guard case .text(let name) = cell else { return nil }
            // Spaces around a name are a mistake. A name with spaces in it is another column.
            let words = name.split(whereSeparator: \.isWhitespace)
            let field = EventField(rawValue: words.joined(separator: " ").lowercased())
            return field.flatMap { EventField.exported.contains($0) ? $0 : nil }
        }
        for column in EventField.exported {
            let count = columns.count { $0 == column }
            let isOptional =
                column == .id || column.column?.column.isOptional == true
                || (column == .owner && defaults.ownerID != nil)
            guard count == 1 || (count == 0 && isOptional) else {
                let problem = count == 0 ? "no" : "more than one"
                let hasHint = column == .owner && count == 0
                let hint = hasHint ? "; --owner ID sets the owner of all events" : ""
                throw RecordFileError(
                    reason: "The header has \(problem) column \(column.rawValue)\(hint)"
                )
            }
        }
        return columns
    }

    private func byteOrderMarkLength(in bytes: Span<UInt8>) -> Int {
        let isMarked = bytes.count >= 3 && bytes[0] == 0xEF && bytes[1] == 0xBB && bytes[2] == 0xBF
        return isMarked ? 3 : 0
    }

    private func record(
        of cells: [Input],
        _ columns: [EventField?]
    ) throws(RecordError) -> EventRecord {
        guard cells.count == columns.count else {
            throw RecordError(
                reason: "The row has \(cells.count) cells, but the header has \(columns.count)"
            )
        }
        var id = Input.absent
        var owner = Input.absent
        var draft = EventDraft()
        for (cell, column) in zip(cells, columns) {
            switch column {
            case nil: break
            case .id: id = cell
            case .owner: owner = cell
            case let field?:
                guard let column = field.column else { break }
                draft[column] =
                    switch column.column.kind {
                    case .text where column == .data:
                        unguarded(cell).object(maximumDepth: JSONRecord.maximumDataDepth)
                    case .text: unguarded(cell)
                    case .double: number(cell)
                    default: cell
                    }
            }
        }
        return try EventRecord(id: id, owner: owner, defaults, draft: draft)
    }

    private func unguarded(_ cell: Input) -> Input {
        guard case .text(let text) = cell else { return cell }
        return .text(FormulaGuard.unguarded(text))
    }

    /// Replaces the decimal comma that spreadsheets write when semicolons separate the cells.
    private func number(_ cell: Input) -> Input {
        guard case .text(let text) = cell, separator == UInt8(ascii: ";") else { return cell }
        return .text(text.replacing(",", with: "."))
    }
}
