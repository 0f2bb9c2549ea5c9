/// The code of an error of the server
/// (<https://www.postgresql.org/docs/current/errcodes-appendix.html>).
package struct SQLState: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// Five digits or capital letters.
    package let rawValue: String

    package init(rawValue: String) {
        self.rawValue = rawValue
    }

    package static let protocolViolation = SQLState(rawValue: "08P01")
    package static let uniqueViolation = SQLState(rawValue: "23505")
    package static let foreignKeyViolation = SQLState(rawValue: "23503")
    package static let invalidPassword = SQLState(rawValue: "28P01")
    package static let failedTransaction = SQLState(rawValue: "25P02")
    package static let readOnlyTransaction = SQLState(rawValue: "25006")
    package static let unknownStatement = SQLState(rawValue: "26000")
    package static let unknownDatabase = SQLState(rawValue: "3D000")
    package static let unknownSchema = SQLState(rawValue: "3F000")
    package static let serializationFailure = SQLState(rawValue: "40001")
    package static let deadlock = SQLState(rawValue: "40P01")
    package static let duplicateStatement = SQLState(rawValue: "42P05")
    package static let duplicateTable = SQLState(rawValue: "42P07")
    package static let duplicateObject = SQLState(rawValue: "42710")
    package static let unknownFunction = SQLState(rawValue: "42883")
    package static let syntaxError = SQLState(rawValue: "42601")
    package static let missingRight = SQLState(rawValue: "42501")
    package static let diskFull = SQLState(rawValue: "53100")
    package static let tooManyConnections = SQLState(rawValue: "53300")
    package static let lockNotAvailable = SQLState(rawValue: "55P03")
    package static let queryCancelled = SQLState(rawValue: "57014")
    /// The condition that the triggers of a moved database report.
    package static let closedForMove = SQLState(rawValue: "HM001")

    package var description: String { rawValue }

    /// The first two characters, which name the kind of error.
    package var classCode: Substring { rawValue.prefix(2) }

    /// Whether the server has ended the connection, or is about to.
    package var endsConnection: Bool {
        classCode == "08" || ["57P01", "57P02", "57P03", "57P05"].contains(rawValue)
            || self == .tooManyConnections
    }

    /// Whether the server's machine has failed it: it has no memory, or its files can't be used.
    package var isOfMachine: Bool {
        classCode == "58" || ["53000", "53200"].contains(rawValue)
    }

    /// Whether the same transaction may succeed if it is repeated.
    package var invitesRepetition: Bool { self == .serializationFailure || self == .deadlock }

    /// Whether the server doesn't know what a statement uses, or the user has no right to it.
    package var meansUnsupported: Bool { classCode == "42" || classCode == "0A" }

    /// Whether the server rejects the user or the database, so that no repetition helps.
    package var rejectsConfiguration: Bool {
        classCode == "28" || self == .unknownDatabase || self == .missingRight
    }
}
