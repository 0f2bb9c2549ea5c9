import Settings
import Words

/// `humon words`: prints the entries of BLOCKED_WORDS_FILE that match a text.
struct WordsCommand: ProgramCommand {
    static let description = CommandDescription(
        name: "words",
        arguments: "TEXT",
        summary: "Print the entries of BLOCKED_WORDS_FILE that match a text.",
        notes: [
            """
            BLOCKED_WORDS_FILE is the path of a UTF-8 file of up to 1 MiB, with up to 10,000
            entries, one a line. # begins a comment. An entry is 1 to 8 words. It matches a text
            that contains the same words in this order. Capitals, accents and punctuation don't
            matter. Only whole words match, unless the entry ends in *: bad* matches badly. In
            scripts without spaces, such as Chinese, each character counts as a word of the text.
            """
        ]
    )

    let text: String

    static func parse(_ arguments: Arguments) throws(UsageError) -> Self {
        Self(text: try arguments.only("TEXT"))
    }

    func run(in context: CommandContext) throws -> ExitCode {
        let settings = try context.settings(only: [BlockedWords.setting])
        guard let path = settings.configuration.blockedWordsPath else {
            throw UsageError(
                "\(BlockedWords.setting) is not set. Set it to the path of a file with words."
            )
        }
        let words = try BlockedWords.list(at: path)
        Terminal.output.write(words.matches(in: text).map { $0 + "\n" }.joined())
        return .success
    }
}
