/// The error for a text that is not valid JSON.
package struct JSONError: Error, Equatable {
    /// The error with its position, for the author of the text.
    ///
    /// For example, `Malformed JSON at line 1, column 15: expected a value, found "}"`.
    package var message: String {
        "Malformed JSON at line \(line), column \(column): \(problem)"
    }

    /// The line number, from 1.
    package let line: Int
    /// The number of the character in the line, from 1.
    package let column: Int
    /// The problem, such as `expected a value, found "}"`.
    package let problem: String
}
