import Rules
package import SQLite
import System

extension SQLiteError: ExplainedError {
    package var explanation: String {
        if code.isOfFullDisk {
            return """
                The disk that holds the database is full. Free some disk space, and run this \
                again.
                """
        }
        if code == .triggerConstraint { return ModelError.closedForMove.explanation }
        return switch code.primary {
        case .cannotOpen: message.hasSuffix("?") ? message : message + "."
        case .busy: "The database is busy: \(message). Try again in a moment."
        default: "The database failed: \(self)."
        }
    }
}

extension WriterError: ExplainedError {
    package var explanation: String {
        switch self {
        case .queueFull: "Too many changes are waiting."
        case .stopped: "The database is closed."
        case .unavailable(let cause): "The database failed: \(cause)."
        }
    }
}

extension BackupError: ExplainedError {
    package var explanation: String {
        "The copy is damaged and was deleted: \(faults.joined(separator: "; "))."
    }
}

extension MigrationError: ExplainedError {
    package var explanation: String { description }
}
