/// Why one record of a file is none; the others may be.
package struct RecordError: Error, Equatable {
    /// Without a full stop, such as `Lat is not a number; Name can't be blank`.
    package let reason: String

    package init(reason: String) {
        self.reason = reason
    }
}

/// Why a file can't be read any further.
package struct RecordFileError: Error, Equatable {
    /// Without a full stop.
    package let reason: String

    package init(reason: String) {
        self.reason = reason
    }
}

/// What became of one record of a file.
package struct NumberedRecord<Record: Equatable & Sendable>: Equatable, Sendable {
    /// Counted from 1: the line where the record begins, or the feature's place in a GeoJSON file.
    package let number: Int
    package let result: Result<Record, RecordError>

    package init(number: Int, result: Result<Record, RecordError>) {
        self.number = number
        self.result = result
    }
}
