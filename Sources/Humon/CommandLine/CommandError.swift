import Model
import SQLite
import Sodium

/// The error of a command, as sentences for the operator.
struct CommandError: Error, Equatable {
    let message: String

    init(_ message: String) {
        self.message = message
    }
}

/// The message and the exit code for an error that ends the program.
struct Failure {
    let message: String
    let exitCode: ExitCode

    init(_ error: any Error) {
        switch error {
        case let error as UsageError:
            self.init(error.message, .usage)
        case let error as SettingError:
            self.init(error.message, .configuration)
        default:
            self.init(Self.sentence(for: error), .failure)
        }
    }

    private init(_ message: String, _ exitCode: ExitCode) {
        // Quoted input must not control the terminal.
        self.message = String(
            String.UnicodeScalarView(
                message.unicodeScalars.map { scalar in
                    let isControl = scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
                    return isControl && scalar != "\n" ? "?" : scalar
                }
            )
        )
        self.exitCode = exitCode
    }

    private static func sentence(for error: any Error) -> String {
        switch error {
        case let error as CommandError: error.message
        case let error as StorageRejection: error.message
        case let error as ModelError: sentence(for: error)
        case let error as SQLiteError where error.code.isOfFullDisk:
            "The disk that holds the database is full. Free some disk space, and run this again."
        case let error as SQLiteError where error.code.primary == .cannotOpen:
            error.message.hasSuffix("?") ? error.message : error.message + "."
        case let error as SQLiteError where error.code.primary == .busy:
            "The database is busy: \(error.message). Try again in a moment."
        case let error as SQLiteError: "The database failed: \(error)."
        case let error as WriterError: sentence(for: error)
        case let error as BackupError:
            "The copy is damaged and was deleted: \(error.faults.joined(separator: "; "))."
        case let error as PasswordHasherError: sentence(for: error)
        default: "\(error)"
        }
    }

    private static func sentence(for error: ModelError) -> String {
        switch error {
        case .notFound: "The record doesn't exist."
        case .forbidden: "The record belongs to another user."
        case .invalid(let errors): errors.map(\.sentence).joined(separator: "; ") + "."
        case .overloaded(let reason): reason
        case .unavailable(let reason, let cause): cause.map { "\(reason) \($0)." } ?? reason
        case .storage(let cause): "The database failed: \(cause)."
        }
    }

    private static func sentence(for error: WriterError) -> String {
        switch error {
        case .queueFull: "Too many changes are waiting."
        case .stopped: "The database is closed."
        case .unavailable(let cause): "The database failed: \(cause)."
        }
    }

    private static func sentence(for error: PasswordHasherError) -> String {
        switch error {
        case .outOfMemory: "There is not enough memory to hash a password."
        case .queueFull, .stopped: "No more passwords can be hashed."
        }
    }
}
