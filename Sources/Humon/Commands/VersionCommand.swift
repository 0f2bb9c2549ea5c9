import Operations
import Sodium
import Words

/// `humon version`: prints the versions of the program and of what it was built from.
struct VersionCommand: PlainCommand {
    static let description = CommandDescription(
        name: "version",
        summary: "Show the versions of the program and its libraries."
    )

    func run(in context: CommandContext) -> ExitCode {
        let rows = [
            ["commit", Version.commit.isEmpty ? "unknown" : Version.commit],
            ["Swift", Version.compiler],
            ["SQLite", Databases.libraryVersion],
            ["libsodium", SodiumLibrary.version],
            ["utf8proc", UnicodeLibrary.version],
            ["Unicode", UnicodeLibrary.unicodeVersion],
        ]
        Terminal.output.write("humon \(Version.current)\n\(TextTable.text(rows))\n")
        return .success
    }
}
