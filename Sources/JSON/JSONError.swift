/// Why a text is not JSON.
package struct JSONError: Error, Equatable {
    /// What is wrong and where, for the person who wrote the text:
    /// `Malformed JSON at line 1, column 15: expected a value, found "}"`.
    package var message: String {
        "Malformed JSON at line \(line), column \(column): \(problem)"
    }

    /// Counted from 1.
    package let line: Int
    /// The character in the line, counted from 1.
    package let column: Int
    /// What is wrong there, such as `expected a value, found "}"`.
    package let problem: String

    init(line: Int, column: Int, problem: String) {
        self.line = line
        self.column = column
        self.problem = problem
    }
}
