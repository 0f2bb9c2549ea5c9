/// The result of one check.
package struct Finding: Equatable, Sendable {
    /// How serious it is.
    package enum Grade: String, Sendable {
        case ok
        /// It works, but the operator should know about it.
        case warning
        /// It doesn't work, or soon won't.
        case problem
    }

    package let grade: Grade
    /// The object of the check, in a word or two.
    package let subject: String
    /// The state, as a clause without a full stop.
    package let text: String
    /// The remedy, as sentences; empty if there is nothing to do.
    package let advice: String

    /// The subject, the text and the advice, on one line.
    package var sentences: String {
        "\(subject): \(text)." + (advice.isEmpty ? "" : " " + advice)
    }
}

/// Lists of one finding, so that checks with one, several or no findings join with `+`.
extension [Finding] {
    package static func ok(_ subject: String, _ text: String) -> [Finding] {
        [Finding(grade: .ok, subject: subject, text: text, advice: "")]
    }

    static func warning(_ subject: String, _ text: String, _ advice: String) -> [Finding] {
        [Finding(grade: .warning, subject: subject, text: text, advice: advice)]
    }

    static func problem(_ subject: String, _ text: String, _ advice: String) -> [Finding] {
        [Finding(grade: .problem, subject: subject, text: text, advice: advice)]
    }
}
