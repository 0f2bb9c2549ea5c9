/// The rule that a value breaks, as the end of a sentence that begins with the attribute's name.
package struct Violation: Error, Equatable {
    package let predicate: String

    package init(predicate: String) {
        self.predicate = predicate
    }

    package static let blank = Violation(predicate: "can't be blank")
    package static let invalid = Violation(predicate: "is invalid")
    package static let notATime = Violation(predicate: "is not a time such as 2030-09-16T12:00:00Z")
    package static let lostPlus = Violation(
        predicate: "\(notATime.predicate) (in a form or query, encode the + of the offset as %2B)"
    )
    package static let notANumber = Violation(predicate: "is not a number")
    package static let notAnInteger = Violation(predicate: "must be an integer")
    package static let taken = Violation(predicate: "has already been taken")

    package static func tooLong(maximum: Int) -> Violation {
        Violation(predicate: "is too long (maximum is \(maximum) characters)")
    }

    package static func tooShort(minimum: Int) -> Violation {
        Violation(predicate: "is too short (minimum is \(minimum) characters)")
    }

    package static func tooSmall(minimum: Int) -> Violation {
        Violation(predicate: "must be greater than or equal to \(minimum)")
    }

    package static func tooLarge(maximum: Int) -> Violation {
        Violation(predicate: "must be less than or equal to \(maximum)")
    }
}

/// An attribute with the rule that it breaks.
package struct AttributeError: Equatable, Sendable {
    /// The name of the attribute in sentences and keys, such as `Started at` or `email`.
    package let attribute: String
    /// The rest of a sentence that begins with the attribute, such as `is invalid`.
    package let predicate: String

    package init(_ attribute: String, _ predicate: String) {
        self.attribute = attribute
        self.predicate = predicate
    }

    package init(_ attribute: String, _ violation: Violation) {
        self.init(attribute, violation.predicate)
    }

    /// Returns the error for a value that is not a point in time.
    package static func notATime(_ attribute: String) -> AttributeError {
        AttributeError(attribute, .notATime)
    }

    /// A whole sentence, such as `Started at is not a time such as 2030-09-16T12:00:00Z`.
    package var sentence: String { "\(attribute) \(predicate)" }
}
