/// What a look at one thing came to.
package struct Finding: Equatable, Sendable {
    /// How grave it is.
    package enum Grade: String, Sendable {
        case ok
        /// It works, and somebody should know.
        case warning
        /// It does not work, or soon will not.
        case problem
    }

    package let grade: Grade
    /// What was looked at, in a word or two.
    package let subject: String
    /// What is the case, without a full stop.
    package let text: String
    /// What to do, as a sentence; empty where nothing is to be done.
    package let advice: String

    static func ok(_ subject: String, _ text: String) -> Finding {
        Finding(grade: .ok, subject: subject, text: text, advice: "")
    }

    static func warning(_ subject: String, _ text: String, _ advice: String) -> Finding {
        Finding(grade: .warning, subject: subject, text: text, advice: advice)
    }

    static func problem(_ subject: String, _ text: String, _ advice: String) -> Finding {
        Finding(grade: .problem, subject: subject, text: text, advice: advice)
    }

    /// One line: the grade, the subject, what is the case and what to do.
    package var line: String {
        let padding = String(repeating: " ", count: max(0, 8 - grade.rawValue.count))
        return "\(grade.rawValue)\(padding) \(subject): \(text)." + (advice.isEmpty ? "" : " ")
            + advice
    }
}
