import Model
import Rules
import Settings
import SignIn
import System

/// `humon auth issuers`: fetches the keys of all issuers and prints them.
struct ListIssuersCommand: PlainCommand {
    static let description = CommandDescription(
        name: "auth issuers",
        summary: "Fetch the keys of all issuers, and list them.",
        notes: [
            "The issuers are in AUTH_ISSUERS. It fails if the keys of one can't be fetched."
        ]
    )

    func run(in context: CommandContext) throws -> ExitCode {
        let statuses = try context.fetchedKeys().statuses
        for status in statuses {
            let rows = status.keys.map { key in
                [
                    TextTable.printable(key.name), TextTable.printable(key.type),
                    key.bits.map(String.init) ?? "", key.problem.map { "no: \($0)" } ?? "yes",
                ]
            }
            let table = TextTable.text([["KEY", "TYPE", "BITS", "USABLE"]] + rows)
            let text = status.error.map { "Not fetched: \($0)." } ?? table
            let title = "\(status.issuer.name) \(status.issuer.keys)"
            Terminal.output.write(Explanation.printable("\(title)\n\(text)\n"))
        }
        return statuses.contains { $0.error != nil } ? .failure : .success
    }
}

/// `humon auth check`: verifies an ID token as a sign-in does.
struct CheckIDTokenCommand: ProgramCommand {
    static let description = CommandDescription(
        name: "auth check",
        arguments: "ID_TOKEN",
        summary: "Verify an ID token, and print what it says.",
        notes: [
            """
            An ID_TOKEN of - is read from standard input, so that neither ps nor the history of
            the shell shows it. The last line is accepted, or the reason why the token is rejected.
            """
        ],
        options: [
            .init(name: "nonce", value: "TEXT", meaning: "The nonce that the app sends with it.")
        ]
    )

    /// The greatest number of bytes to read.
    private static let maximumBytes = 65_536

    let idToken: String
    let nonce: String?

    static func parse(_ arguments: Arguments) throws(UsageError) -> Self {
        Self(idToken: try arguments.only("ID_TOKEN"), nonce: arguments.options["nonce"])
    }

    func run(in context: CommandContext) async throws -> ExitCode {
        let idToken = try self.idToken == "-" ? readToken() : self.idToken
        let verifier = try context.fetchedKeys()
        // An unknown key causes another fetch.
        try verifier.start()
        defer { verifier.stop() }
        var rows = IDTokenVerifier.rows(of: idToken)
        rows.append(["signature", await verifier.hasValidSignature(idToken) ? "valid" : "invalid"])
        if let user = await user(of: idToken, in: context) { rows.append(["user", user]) }
        var result = "accepted"
        do throws(ModelError) {
            _ = try await verifier.verify(idToken, nonce: nonce)
        } catch {
            if case .invalid(let errors) = error, let error = errors.first {
                result = "rejected: \(error.sentence)"
            } else {
                result = "unavailable: \(error.explanation)"
            }
        }
        let table = rows.map { $0.map { TextTable.printable($0, limit: 300) } }
        Terminal.output.write(TextTable.text(table) + "\n" + result + "\n")
        return result == "accepted" ? .success : .failure
    }

    /// Returns the id of the user with the identity that a token claims, or `-` without one; nil if
    /// the database can't be read as it is.
    private func user(of idToken: String, in context: CommandContext) async -> String? {
        guard let identity = IDTokenVerifier.claimedIdentity(in: idToken),
            let configuration = try? context.configuration(),
            let migrations = try? Databases.engine(for: configuration).migrations(),
            !migrations.isEmpty, migrations.allSatisfy({ $0.appliedAt != nil }),
            let storage = try? Databases.open(configuration, mustExist: true)
        else { return nil }
        defer { storage.close() }
        do {
            return try await storage.stores.signIns.userID(of: identity).map(String.init) ?? "-"
        } catch {
            return nil
        }
    }

    private func readToken() throws -> String {
        var file = try InputFile(path: "-", chunkBytes: Self.maximumBytes)
        var bytes: [UInt8] = []
        while bytes.count < Self.maximumBytes, try file.read(into: &bytes) {}
        return String(String(decoding: bytes, as: UTF8.self).filter { !$0.isNewline })
    }
}

extension CommandContext {
    /// Returns a verifier that has fetched all keys that can be fetched.
    fileprivate func fetchedKeys() throws -> IDTokenVerifier {
        let names: Set = ["AUTH_ISSUERS", "AUTH_KEYS_REFRESH", "CA_FILE"]
        let configuration = try settings(only: names).configuration
        guard let verifier = try Composition.idTokenVerifier(configuration) else {
            throw UsageError("AUTH_ISSUERS is off. Set it as `humon settings` says.")
        }
        verifier.refresh()
        return verifier
    }
}
