/// The reason why a record of a file is invalid; other records may be valid.
package struct RecordError: Error, Equatable {
    /// A text without a full stop, such as `Lat is not a number; Name can't be blank`.
    package let reason: String
}

extension RecordError {
    /// Creates the error for several broken rules.
    init(_ reasons: [String]) {
        self.init(reason: reasons.joined(separator: "; "))
    }
}

/// The reason why the rest of a file can't be read.
package struct RecordFileError: Error, Equatable {
    /// A text without a full stop.
    package let reason: String
    /// Whether the records before the error are wrong, too.
    package var isAboutAll = false
}

/// A record of a file, or the error in it, with its number.
package struct NumberedRecord<Record: Equatable & Sendable>: Equatable, Sendable {
    /// The line where the record begins, or the position of a GeoJSON feature; counted from 1.
    package let number: Int
    package let result: Result<Record, RecordError>
}
