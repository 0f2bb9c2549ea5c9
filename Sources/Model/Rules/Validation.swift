/// Applies rules to inputs one after another, and gathers the attributes that break one.
struct Validation {
    /// In the order of the checks.
    private(set) var errors: [AttributeError] = []

    /// The value of an attribute that must be there; nil, with an error, if it is not or is wrong.
    ///
    /// - Parameters:
    ///   - attribute: What the attribute is called in an error.
    ///   - input: What was sent.
    ///   - current: The value to keep if nothing was sent; nil where nothing is kept.
    ///   - rule: Makes the value of an input that is not blank.
    /// - Returns: The valid value.
    mutating func required<Value>(
        _ attribute: String,
        _ input: Input,
        keeping current: Value? = nil,
        _ rule: Rule<Value>
    ) -> Value? {
        if input.isAbsent, let current {
            return current
        }
        guard !input.isBlank else {
            report(.blank, of: attribute)
            return nil
        }
        return check(attribute, input, rule)
    }

    /// The value of an attribute that may be null; nil, with an error, if it is wrong.
    ///
    /// - Parameters:
    ///   - attribute: What the attribute is called in an error.
    ///   - input: What was sent.
    ///   - current: The value to keep if nothing was sent.
    ///   - rule: Makes the value of an input that is there, blank or not.
    /// - Returns: The valid value.
    mutating func optional<Value>(
        _ attribute: String,
        _ input: Input,
        keeping current: Value? = nil,
        _ rule: Rule<Value>
    ) -> Value? {
        switch input {
        case .absent: current
        case .null: nil
        default: check(attribute, input, rule)
        }
    }

    private mutating func check<Value>(
        _ attribute: String,
        _ input: Input,
        _ rule: Rule<Value>
    ) -> Value? {
        do throws(Violation) {
            return try rule.check(input)
        } catch {
            report(error, of: attribute)
            return nil
        }
    }

    /// Gathers an error.
    mutating func report(_ violation: Violation, of attribute: String) {
        errors.append(AttributeError(attribute, violation))
    }
}
