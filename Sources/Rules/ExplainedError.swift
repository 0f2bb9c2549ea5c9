/// An error that explains itself to the operator.
package protocol ExplainedError: Error {
    /// The reason and the remedy, as sentences.
    var explanation: String { get }
    /// Whether it occurs until the operator changes a setting or installs something.
    var isOfConfiguration: Bool { get }
}

extension ExplainedError {
    package var isOfConfiguration: Bool { false }
}

/// An error that ends a command, or keeps the server from starting.
package struct OperatorError: ExplainedError, Equatable {
    package let explanation: String
    package let isOfConfiguration: Bool

    /// Creates an error with sentences that say what happened and what to do.
    package init(_ explanation: String, isOfConfiguration: Bool = false) {
        self.explanation = explanation
        self.isOfConfiguration = isOfConfiguration
    }
}

/// Explains any error to the operator.
package enum Explanation {
    /// Returns the explanation of an error, or its description if it doesn't explain itself.
    ///
    /// It is `printable`.
    package static func text(of error: any Error) -> String {
        printable((error as? any ExplainedError)?.explanation ?? "\(error)")
    }

    /// Returns the text with `?` in place of control characters, except for newlines.
    ///
    /// Quoted input must not control the operator's terminal.
    package static func printable(_ text: String) -> String {
        String(
            String.UnicodeScalarView(
                text.unicodeScalars.map { scalar in
                    let isControl = scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
                    return isControl && scalar != "\n" ? "?" : scalar
                }
            )
        )
    }
}
