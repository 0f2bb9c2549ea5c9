/// A command line that makes no sense; the program says so and exits with 64 (EX_USAGE).
package struct UsageError: Error, Equatable {
    package let message: String

    package init(_ message: String) {
        self.message = message
    }

    /// What is not among the known, with the likeliest of them as a hint.
    static func unknown(_ kind: String, _ word: String, among known: [String]) -> UsageError {
        let hint = Suggestion.closest(to: word, in: known).map { " did you mean \"\($0)\"?" }
        return UsageError("\"\(word)\" is not a \(kind);" + (hint ?? " see `humon help`."))
    }
}
