/// An invalid command line, for which the program exits with 64 (EX_USAGE).
package struct UsageError: Error, Equatable {
    package let message: String

    package init(_ message: String) {
        self.message = message
    }

    /// Returns the error for an unknown word, with the most similar known word as a hint.
    static func unknown(_ kind: String, _ word: String, among known: [String]) -> UsageError {
        let hint = Suggestion.closest(to: word, in: known).map { " did you mean \"\($0)\"?" }
        return UsageError("\"\(word)\" is not a \(kind);" + (hint ?? " see `humon help`."))
    }
}
