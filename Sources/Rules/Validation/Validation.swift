/// A sequence of checks of inputs that collects the attributes that break a rule.
package struct Validation {
    /// In the order of the checks.
    package private(set) var errors: [AttributeError] = []

    package init() {}

    /// Returns the value of a required attribute, or nil and reports an error.
    ///
    /// - Parameters:
    ///   - attribute: The name of the attribute in errors.
    ///   - input: The value that was sent.
    ///   - current: The value to keep if nothing was sent; nil to report an error instead.
    ///   - rule: The rule for an input that is not blank.
    /// - Returns: The valid value.
    package mutating func required<Value>(
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

    /// Returns the value of an attribute that can be null, or nil and reports an error.
    ///
    /// - Parameters:
    ///   - attribute: The name of the attribute in errors.
    ///   - input: The value that was sent.
    ///   - current: The value to keep if nothing was sent.
    ///   - rule: The rule for an input that is present, blank or not.
    /// - Returns: The valid value.
    package mutating func optional<Value>(
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

    /// Adds an error.
    package mutating func report(_ violation: Violation, of attribute: String) {
        errors.append(AttributeError(attribute, violation))
    }
}
