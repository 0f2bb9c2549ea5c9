/// A decoder that finds the records in a file and parses them.
///
/// It sees each byte once, in order, however the file is divided into chunks.
package protocol RecordDecoder<Record> {
    associatedtype Record: Equatable & Sendable

    /// The number for messages of the last record that `segment` found; see `NumberedRecord`.
    var number: Int { get }

    /// Finds the end of the next segment, from `offset` on.
    ///
    /// All bytes before `offset` have been seen, and after `needsMore` all bytes to the end.
    mutating func segment(_ bytes: Span<UInt8>, from offset: Int) throws(RecordFileError) -> Segment

    /// Parses the bytes of one record.
    mutating func decode(_ bytes: Span<UInt8>) throws(RecordFileError) -> DecodedRecord<Record>

    /// Ends the file, and returns whether the bytes after the last segment are a record.
    mutating func finish() throws(RecordFileError) -> Bool

    /// The error in the bytes after the last segment, whatever they are; nil to parse them.
    ///
    /// Only valid after `finish`.
    var unfinished: RecordError? { get }
}

extension RecordDecoder {
    var unfinished: RecordError? { nil }
}

/// A part of a file; all cases but the first have the offset of its end.
package enum Segment: Equatable {
    case needsMore
    /// Bytes between records.
    case gap(end: Int)
    case record(end: Int)
}

/// The result of parsing the bytes of a record.
package enum DecodedRecord<Record> {
    /// The bytes are not a record, such as a blank line.
    case nothing
    case record(Result<Record, RecordError>)
}
