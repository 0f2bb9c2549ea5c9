/// An error that explains itself to the operator.
package protocol ExplainedError: Error {
    /// What happened and what to do, as sentences.
    var explanation: String { get }
}

/// An error that ends a command, or keeps the server from starting.
package struct OperatorError: ExplainedError, Equatable {
    package let explanation: String

    /// Creates an error with sentences that say what happened and what to do.
    package init(_ explanation: String) {
        self.explanation = explanation
    }
}

/// Explains any error to the operator.
package enum Explanation {
    /// Returns the explanation of an error, or its description if it doesn't explain itself.
    package static func text(of error: any Error) -> String {
        (error as? any ExplainedError)?.explanation ?? "\(error)"
    }
}
