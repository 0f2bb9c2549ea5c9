import Rules
import Settings
import SignIn
import Sodium

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
        case let error as any ExplainedError where error.isOfConfiguration:
            self.init(error.explanation, .configuration)
        default:
            self.init(Explanation.text(of: error), .failure)
        }
    }

    private init(_ message: String, _ exitCode: ExitCode) {
        self.message = Explanation.printable(message)
        self.exitCode = exitCode
    }
}

extension SignInLibraryError: ExplainedError {
    package var explanation: String { "Install libssl3 and libcurl4 to use AUTH_ISSUERS." }
    package var isOfConfiguration: Bool { true }
}

extension PasswordHasherError: ExplainedError {
    package var explanation: String {
        switch self {
        case .outOfMemory: "There is not enough memory to hash a password."
        case .queueFull, .stopped: "No more passwords can be hashed."
        }
    }
}
