/// Why a text is not JSON.
package struct JSONError: Error, Equatable {
    /// What is wrong and where, for the person who wrote the text:
    /// `Malformed JSON at line 1, column 15: expected a value, found "}"`.
    package let message: String

    init(message: String) {
        self.message = message
    }
}
