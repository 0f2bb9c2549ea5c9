import Model
import Operations
import Rules
import Sodium
import Time
import Web

extension Commands {
    /// The commands about admins.
    static let admins = [
        CommandRow("admin add", arguments: "NAME", "Add an admin for the admin page.") {
            arguments in
            let name = try arguments.only("NAME")
            guard Admin.isName(name) else {
                throw UsageError("NAME must be 1 to 64 letters (a to z), digits, or any of . _ @ -")
            }
            return work(on: name) { admins in
                let (password, hash) = try await RandomPassword.ofAdmin()
                try await admins.add(name, hash: hash, by: Machine.actor)
                return """
                    The password of \(name) is
                    \(password)
                    It is not shown again. Sign in at the address of ADMIN_PORT.
                    """
            }
        },
        CommandRow("admin list", "List the admins.") { _ in
            StoreWork(system: nil) { stores, _ in
                let rows = try await stores.admins.all().map { admin in
                    [
                        admin.name, admin.createdAt.text,
                        admin.disabledAt.map { "since \($0.text)" } ?? "no",
                    ]
                }
                return rows.isEmpty
                    ? "There are no admins. Add one with `humon admin add NAME`."
                    : TextTable.text([["NAME", "ADDED", "DISABLED"]] + rows)
            }
        },
        admin("disable", "Keep an admin from signing in, and end the admin's tokens.") {
            name,
            admins in
            try await admins.setDisabled(true, name, by: Machine.actor)
            return "\(name) is disabled. All sessions and tokens of \(name) have ended."
        },
        admin("enable", "Let a disabled admin sign in again.") { name, admins in
            try await admins.setDisabled(false, name, by: Machine.actor)
            return "\(name) is enabled."
        },
        admin("reset-password", "Give an admin a new password, and end the admin's tokens.") {
            name,
            admins in
            let (password, hash) = try await RandomPassword.ofAdmin()
            try await admins.resetPassword(of: name, hash: hash, by: Machine.actor)
            return """
                The new password of \(name) is
                \(password)
                It is not shown again. All sessions and tokens of \(name) have ended.
                """
        },
        CommandRow(
            "admin token",
            arguments: "NAME",
            "Make a token of an admin for programs.",
            notes: ["Send it to the admin port in the header Authorization: Bearer TOKEN."],
            options: [
                .init(name: "name", value: "TEXT", meaning: "What the token is for, such as ci."),
                .init(
                    name: "days",
                    value: "N",
                    meaning: "Days until it ends, 1 to 365. By default, 90."
                ),
            ]
        ) { arguments in
            let name = try arguments.only("NAME")
            let purpose = arguments.options["name"] ?? "program"
            guard 1...100 ~= purpose.unicodeScalars.count else {
                throw UsageError("--name must have 1 to 100 characters.")
            }
            guard let days = Int64(arguments.options["days"] ?? "90"), 1...365 ~= days else {
                throw UsageError("--days must be a whole number from 1 to 365.")
            }
            return work(on: name) { admins in
                try await token(of: name, for: purpose, days: days, admins)
            }
        },
    ]

    /// Returns a command that does something about an admin.
    private static func admin(
        _ verb: String,
        _ summary: String,
        _ body: @escaping @Sendable (String, any AdminStore) async throws -> String
    ) -> CommandRow {
        CommandRow("admin \(verb)", arguments: "NAME", summary) { arguments in
            let name = try arguments.only("NAME")
            return work(on: name) { admins in try await body(name, admins) }
        }
    }

    private static func work(
        on name: String,
        _ body: @escaping @Sendable (any AdminStore) async throws -> String
    ) -> StoreWork {
        let name = TextTable.printable(name)
        let missing = "There is no admin named \(name). See `humon admin list`."
        return StoreWork(system: nil, missing: missing) { stores, _ in
            try await body(stores.admins)
        }
    }

    /// Makes a token, and returns what to print.
    private static func token(
        of name: String,
        for purpose: String,
        days: Int64,
        _ admins: any AdminStore
    ) async throws -> String {
        guard let credentials = try await admins.credentials(of: name) else {
            throw ModelError.notFound
        }
        let token = Admin.token(from: RandomBytes.make)
        let end = Timestamp(milliseconds: Timestamp.now().milliseconds + days * 86_400_000)
        let isAdded = try await admins.addToken(
            TokenDigest(of: token),
            of: credentials,
            name: purpose,
            expiresAt: end,
            by: Machine.actor
        )
        guard isAdded else {
            throw OperatorError("\(name) is disabled. Run `humon admin enable \(name)` first.")
        }
        return """
            The token is
            \(token)
            It is not shown again, and ends at \(end.text).
            """
    }
}
