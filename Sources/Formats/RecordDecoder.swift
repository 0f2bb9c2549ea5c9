/// Takes a file apart: finds where its records end and makes values of them.
///
/// It sees each byte once, in order, however the file is cut into chunks.
package protocol RecordDecoder<Record> {
    associatedtype Record: Equatable & Sendable

    /// What the last record that `segment` found is called in messages; see `NumberedRecord`.
    var number: Int { get }

    /// Goes on from `offset`, up to which it has seen all bytes, to the end of what comes next.
    ///
    /// Where it returns `needsMore` it has seen all bytes to the end.
    mutating func segment(_ bytes: Span<UInt8>, from offset: Int) throws(RecordFileError) -> Segment

    /// What the bytes of one record are.
    mutating func decode(
        _ bytes: Span<UInt8>
    ) throws(RecordFileError) -> DecodedRecord<Record>

    /// Called at the end of the file.
    ///
    /// - Returns: Whether the bytes after the last segment are a record.
    mutating func finish() throws(RecordFileError) -> Bool

    /// After `finish`: why the bytes after the last segment are no record, whatever and however
    /// many they are; nil if they must be looked at.
    var unfinished: RecordError? { get }
}

extension RecordDecoder {
    var unfinished: RecordError? { nil }
}

/// What a decoder found; each case but the first says at which offset it ends.
package enum Segment: Equatable {
    case needsMore
    /// Bytes between records.
    case gap(end: Int)
    case record(end: Int)
}

/// What the bytes of a record are.
package enum DecodedRecord<Record> {
    /// There is none in them, as in a blank line.
    case nothing
    case record(Result<Record, RecordError>)
}
