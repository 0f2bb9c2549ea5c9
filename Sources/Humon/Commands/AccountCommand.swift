import Model
import Sodium

/// `humon account`: manages the accounts of Todo.
struct AccountCommand {
    private let storage: any Storage

    init(configuration: Configuration) throws {
        storage = try Databases.open(configuration, mustExist: true)
    }

    /// Prints a table of all accounts.
    func list() throws {
        defer { storage.close() }
        let rows = try storage.accountAdministration.list().map { account in
            [
                String(account.id), account.email, Self.printable(account.name),
                String(account.taskCount), account.isSignedIn ? "yes" : "no",
            ]
        }
        let header = ["ID", "E-MAIL", "NAME", "TASKS", "SIGNED IN"]
        Terminal.output.write(TextTable.text([header] + rows) + "\n")
    }

    /// Gives the account a random password, prints it, and ends its sessions.
    func resetPassword(of email: EmailAddress) async throws {
        defer { storage.close() }
        let password: String
        do {
            password = try await RandomPassword.set(for: email, in: storage)
        } catch ModelError.notFound {
            throw Self.unknown(email)
        }
        Terminal.output.write(
            """
            The new password of \(email.text) is
            \(password)
            It is not shown again. All sessions of the account have ended.

            """
        )
    }

    /// Ends all sessions of the account.
    func signOut(_ email: EmailAddress) async throws {
        defer { storage.close() }
        let count: Int64
        do {
            count = try await storage.accountAdministration.endSessions(of: email)
        } catch ModelError.notFound {
            throw Self.unknown(email)
        }
        let ended = Noun("session").counted(count)
        Terminal.output.write("Ended \(ended) of \(email.text).\n")
    }

    private static func unknown(_ email: EmailAddress) -> OperatorError {
        OperatorError("There is no account with the address \(email.text).")
    }

    /// Returns the text without characters that could control the terminal, because users choose
    /// their own names.
    private static func printable(_ text: String) -> String {
        String(
            String.UnicodeScalarView(
                text.unicodeScalars.map { scalar in
                    switch scalar.properties.generalCategory {
                    case .control, .format, .lineSeparator, .paragraphSeparator: "\u{FFFD}"
                    default: scalar
                    }
                }
            )
        )
    }
}
