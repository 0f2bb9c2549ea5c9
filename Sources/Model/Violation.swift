/// Why a value breaks a rule: the end of a sentence that begins with the attribute's name.
struct Violation: Error, Equatable {
    let predicate: String

    static let blank = Violation(predicate: "can't be blank")
    static let invalid = Violation(predicate: "is invalid")
    static let notANumber = Violation(predicate: "is not a number")
    static let notAnInteger = Violation(predicate: "must be an integer")

    static func tooLong(maximum: Int) -> Violation {
        Violation(predicate: "is too long (maximum is \(maximum) characters)")
    }

    static func tooSmall(minimum: Int) -> Violation {
        Violation(predicate: "must be greater than or equal to \(minimum)")
    }

    static func tooLarge(maximum: Int) -> Violation {
        Violation(predicate: "must be less than or equal to \(maximum)")
    }
}
