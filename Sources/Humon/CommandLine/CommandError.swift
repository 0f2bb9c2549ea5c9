import Model
import SQLite
import Sodium

/// Why a command could not do what it was asked, as a sentence for the person who asked.
struct CommandError: Error, Equatable {
    let message: String

    init(_ message: String) {
        self.message = message
    }
}

/// What the program says of an error that ends it, and the code that it ends with.
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
        // What is quoted must not talk to the terminal.
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
        case let error as ModelError: sentence(for: error)
        case let error as SQLiteError where error.code.isOfFullDisk:
            "The disk that holds the database is full. Make room on it, then run this again."
        case let error as SQLiteError where error.code.primary == .cannotOpen:
            error.message.hasSuffix("?") ? error.message : error.message + "."
        case let error as SQLiteError where error.code.primary == .busy:
            "The database is busy: \(error.message). Try again in a moment."
        case let error as SQLiteError: "The database has failed: \(error)."
        case let error as WriterError: sentence(for: error)
        case let error as BackupError:
            "The copy is not sound, so it was not kept: \(error.faults.joined(separator: "; "))."
        case let error as PasswordHasherError: sentence(for: error)
        default: "\(error)"
        }
    }

    private static func sentence(for error: ModelError) -> String {
        switch error {
        case .notFound: "There is no such record."
        case .forbidden: "The record is somebody else's."
        case .invalid(let errors): errors.map(\.sentence).joined(separator: "; ") + "."
        case .overloaded(let reason): reason
        case .unavailable(let reason, let cause): cause.map { "\(reason) \($0)." } ?? reason
        case .storage(let cause): "The database has failed: \(cause)."
        }
    }

    private static func sentence(for error: WriterError) -> String {
        switch error {
        case .queueFull: "Too many changes are waiting."
        case .stopped: "The database is closed."
        case .unavailable(let cause): "The database has failed: \(cause)."
        }
    }

    private static func sentence(for error: PasswordHasherError) -> String {
        switch error {
        case .outOfMemory: "There is no memory to hash a password."
        case .queueFull, .stopped: "No password can be hashed any more."
        }
    }
}
