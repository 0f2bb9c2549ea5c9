import CSQLite

/// A result code of SQLite, primary or extended (<https://sqlite.org/rescode.html>).
package struct ResultCode: RawRepresentable, Hashable, Sendable {
    package let rawValue: Int32

    package init(rawValue: Int32) {
        self.rawValue = rawValue
    }

    package static let error = ResultCode(rawValue: SQLITE_ERROR)
    package static let busy = ResultCode(rawValue: SQLITE_BUSY)
    package static let locked = ResultCode(rawValue: SQLITE_LOCKED)
    package static let outOfMemory = ResultCode(rawValue: SQLITE_NOMEM)
    package static let interrupted = ResultCode(rawValue: SQLITE_INTERRUPT)
    package static let readOnly = ResultCode(rawValue: SQLITE_READONLY)
    package static let inputOutput = ResultCode(rawValue: SQLITE_IOERR)
    package static let corrupt = ResultCode(rawValue: SQLITE_CORRUPT)
    package static let full = ResultCode(rawValue: SQLITE_FULL)
    package static let cannotOpen = ResultCode(rawValue: SQLITE_CANTOPEN)
    package static let constraint = ResultCode(rawValue: SQLITE_CONSTRAINT)
    package static let misuse = ResultCode(rawValue: SQLITE_MISUSE)
    package static let range = ResultCode(rawValue: SQLITE_RANGE)
    package static let notADatabase = ResultCode(rawValue: SQLITE_NOTADB)

    // Swift doesn't import the extended codes, because their macros compute.
    package static let checkConstraint = extended(.constraint, 1)
    package static let foreignKeyConstraint = extended(.constraint, 3)
    package static let notNullConstraint = extended(.constraint, 5)
    package static let primaryKeyConstraint = extended(.constraint, 6)
    /// A trigger has rejected the change, as those of a database that is closed for a move do.
    package static let triggerConstraint = extended(.constraint, 7)
    package static let uniqueConstraint = extended(.constraint, 8)
    package static let typeConstraint = extended(.constraint, 12)
    /// There is no space for the WAL's index (`SQLITE_IOERR_SHMSIZE`).
    package static let walIndexFull = extended(.inputOutput, 19)

    /// The primary code, which is the low byte of an extended one.
    package var primary: ResultCode {
        ResultCode(rawValue: rawValue & 0xff)
    }

    /// Whether the code means that the disk is full.
    package var isOfFullDisk: Bool { primary == .full || self == .walIndexFull }

    /// Whether the connection's state can no longer be trusted, so that it must be reopened.
    package var endsConnection: Bool {
        switch primary {
        case .inputOutput, .corrupt, .notADatabase, .cannotOpen: true
        // SQLite opens a file read-only if it can't open it for writing.
        case .readOnly: true
        default: false
        }
    }

    private static func extended(_ primary: ResultCode, _ detail: Int32) -> ResultCode {
        ResultCode(rawValue: primary.rawValue | (detail << 8))
    }
}
