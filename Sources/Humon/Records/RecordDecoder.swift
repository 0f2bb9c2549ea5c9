/// Takes a file apart: finds where its records end and makes events of them.
///
/// It sees each byte once, in order, however the file is cut into chunks.
protocol RecordDecoder {
    /// What the last record that `segment` found is called in messages; see `NumberedRecord`.
    var number: Int { get }

    /// Goes on from `offset`, up to which it has seen all bytes, to the end of what comes next.
    ///
    /// Where it returns `needsMore` it has seen all bytes to the end.
    mutating func segment(_ bytes: Span<UInt8>, from offset: Int) throws(RecordFileError) -> Segment

    /// The event in the bytes of one record; nil if it holds none, as a blank line does.
    mutating func decode(_ bytes: Span<UInt8>) throws(RecordFileError) -> DecodedRecord

    /// Called at the end of the file.
    ///
    /// - Returns: Whether the bytes after the last segment are a record.
    mutating func finish() throws(RecordFileError) -> Bool
}

/// What a decoder found; each case but the first says at which offset it ends.
enum Segment: Equatable {
    case needsMore
    /// Bytes between records.
    case gap(end: Int)
    case record(end: Int)
}

/// What the bytes of a record are.
enum DecodedRecord {
    case nothing
    case event(Result<EventRecord, RecordError>)
}
