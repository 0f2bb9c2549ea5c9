package import Model
package import System

/// A reader of a file's records, one by one, in bounded memory.
package struct RecordReader<Record: TransferRecord>: ~Copyable {
    /// The maximum size of a record in bytes; longer records are reported and skipped.
    package static var maximumRecordBytes: Int { 1024 * 1024 }

    /// The size of the file in bytes; nil if unknown.
    package var totalBytes: Int? { file.size }
    /// The number of bytes read so far.
    package private(set) var bytesRead = 0

    /// The interval between two checks for a cancellation, in ms.
    private static var patienceMilliseconds: Int32 { 100 }

    private var file: InputFile
    private let isCancelled: () -> Bool
    private var decoder: any RecordDecoder<Record>
    private var buffer: [UInt8] = []
    /// The offset of the current segment in the buffer.
    private var start = 0
    /// The end of the bytes that the decoder has seen.
    private var seen = 0
    /// Whether the start of the current record was dropped, because the record is too long.
    private var isTruncated = false
    private var isAtEnd = false
    private var isEncodingKnown = false

    /// Opens a file; `-` is standard input.
    ///
    /// `isCancelled` is called while a file such as a pipe has nothing to read. If it returns true,
    /// reading throws `CancellationError`.
    package init(
        path: String,
        decoder: any RecordDecoder<Record>,
        chunkBytes: Int = 64 * 1024,
        isCancelled: @escaping () -> Bool = { false }
    ) throws(FileError) {
        file = try InputFile(path: path, chunkBytes: chunkBytes)
        self.isCancelled = isCancelled
        self.decoder = decoder
    }

    /// Returns the next record, or the error in it; nil at the end of the file.
    ///
    /// - Throws: `FileError` and `RecordFileError`, after which the rest can't be read.
    package mutating func next() throws -> NumberedRecord<Record>? {
        if !isEncodingKnown { try checkEncoding() }
        while true {
            switch try Self.segment(of: buffer, from: seen, by: &decoder) {
            case .gap(let end):
                start = end
                seen = end
            case .record(let end):
                if let record = try take(to: end) { return record }
            case .needsMore:
                seen = buffer.count
                if isAtEnd { return try last() }
                try fill()
            }
        }
    }

    /// Throws if the file begins as text in UTF-16 or UTF-32 does, with or without its mark.
    ///
    /// Every file that can be imported begins with an ASCII character.
    private mutating func checkEncoding() throws {
        while buffer.count < 4, !isAtEnd { try fill() }
        isEncodingKnown = true
        let start = Array(buffer.prefix(4))
        let zeros = start.map { $0 == 0 }
        let name =
            if zeros == [false, true, true, true] || start == [0xFF, 0xFE, 0, 0] {
                "UTF-32LE"
            } else if zeros == [true, true, true, false] || start == [0, 0, 0xFE, 0xFF] {
                "UTF-32BE"
            } else if zeros.starts(with: [false, true]) || start.starts(with: [0xFF, 0xFE]) {
                "UTF-16LE"
            } else if zeros.starts(with: [true, false]) || start.starts(with: [0xFE, 0xFF]) {
                "UTF-16BE"
            } else {
                ""
            }
        if name.isEmpty { return }
        throw RecordFileError(
            reason: "The file is \(name), but must be UTF-8; "
                + "`iconv -f \(name) -t UTF-8 FILE > NEW` converts it"
        )
    }

    /// Parses the record that ends here.
    private mutating func take(to end: Int) throws(RecordFileError) -> NumberedRecord<Record>? {
        let range = start..<end
        let isTooLong = isTruncated || range.count > Self.maximumRecordBytes
        start = end
        seen = end
        isTruncated = false
        if isTooLong {
            let limit = Self.maximumRecordBytes
            let error = RecordError(reason: "The record is longer than \(limit) bytes")
            return NumberedRecord(number: decoder.number, result: .failure(error))
        }
        switch try Self.decode(buffer, range, by: &decoder) {
        case .nothing: return nil
        case .record(let result): return NumberedRecord(number: decoder.number, result: result)
        }
    }

    // These two are static, because a span of the buffer would lock the whole reader.
    private static func segment(
        of buffer: [UInt8],
        from offset: Int,
        by decoder: inout any RecordDecoder<Record>
    ) throws(RecordFileError) -> Segment {
        try decoder.segment(buffer.span, from: offset)
    }

    private static func decode(
        _ buffer: [UInt8],
        _ range: Range<Int>,
        by decoder: inout any RecordDecoder<Record>
    ) throws(RecordFileError) -> DecodedRecord<Record> {
        try decoder.decode(buffer.span.extracting(range))
    }

    private mutating func last() throws(RecordFileError) -> NumberedRecord<Record>? {
        guard try decoder.finish(), start < buffer.count || isTruncated else { return nil }
        if let error = decoder.unfinished {
            start = buffer.count
            isTruncated = false
            return NumberedRecord(number: decoder.number, result: .failure(error))
        }
        return try take(to: buffer.count)
    }

    private mutating func fill() throws {
        if buffer.count - start > Self.maximumRecordBytes {
            isTruncated = true
            start = buffer.count
        }
        buffer.removeFirst(start)
        seen -= start
        start = 0
        let count = buffer.count
        while !file.isReadable(within: Self.patienceMilliseconds) {
            if isCancelled() { throw CancellationError() }
        }
        isAtEnd = try !file.read(into: &buffer)
        // The same signal may have ended the program that writes to the pipe.
        if isAtEnd, isCancelled() { throw CancellationError() }
        bytesRead += buffer.count - count
    }
}

extension RecordReader where Record == EventRecord {
    /// Opens a file of events; `-` is standard input.
    package init(
        path: String,
        format: RecordFormat,
        chunkBytes: Int = 64 * 1024
    ) throws(FileError) {
        let decoder = EventRecord.decoder(for: format, EventDefaults())
        try self.init(path: path, decoder: decoder, chunkBytes: chunkBytes)
    }
}
