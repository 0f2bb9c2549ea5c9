package import Time

/// A function that makes a value from an input, or throws the rule that the input breaks.
package struct Rule<Value>: Sendable {
    package let check: @Sendable (Input) throws(Violation) -> Value

    package init(check: @escaping @Sendable (Input) throws(Violation) -> Value) {
        self.check = check
    }
}

extension Rule<Double> {
    /// Accepts a finite number: a JSON number, or a text with a decimal number.
    package static let number = Rule { input throws(Violation) in
        try input.number()
    }

    /// Accepts a finite number of at least `minimum`.
    package static func number(from minimum: Int) -> Rule {
        Rule { input throws(Violation) in try input.number(from: minimum) }
    }

    /// Accepts a finite number in `range`.
    package static func number(in range: ClosedRange<Int>) -> Rule {
        Rule { input throws(Violation) in try input.number(in: range) }
    }
}

extension Rule<Int> {
    /// Accepts a number without a fraction in `range`; `5.0` is an integer, too.
    package static func integer(in range: ClosedRange<Int>) -> Rule {
        Rule { input throws(Violation) in try input.integer(in: range) }
    }
}

extension Rule<String> {
    /// Accepts a text of up to `maximum` characters (Unicode scalars) without U+0000.
    ///
    /// A number becomes its digits, a boolean `true` or `false`. Nothing is trimmed.
    package static func text(maximum: Int) -> Rule {
        Rule { input throws(Violation) in try input.text(maximum: maximum) }
    }
}

extension Rule<String> {
    /// Accepts a text whose number of characters is in `length`, and otherwise as `text(maximum:)`.
    package static func text(in length: ClosedRange<Int>) -> Rule {
        Rule { input throws(Violation) in
            let text = try input.text(maximum: length.upperBound)
            guard text.unicodeScalars.count >= length.lowerBound else {
                throw .tooShort(minimum: length.lowerBound)
            }
            return text
        }
    }
}

extension Rule<Bool> {
    /// Accepts a boolean, or a word for it in forms, in upper or lower case.
    package static let boolean = Rule { input throws(Violation) in
        // To JSON, 0 and 0.0 are one number.
        if case .number(let text) = input, let number = Double(decimal: text) {
            guard number == 0 || number == 1 else { throw .invalid }
            return number == 1
        }
        switch input.spelling?.lowercased() {
        case "1", "true", "on", "t": return true
        case "0", "false", "off", "f": return false
        default: throw .invalid
        }
    }
}

extension Rule<Timestamp> {
    /// Accepts a text that is a point in time.
    package static let timestamp = Rule { input throws(Violation) in
        try input.timestamp()
    }
}

extension Input {
    fileprivate func number() throws(Violation) -> Double {
        switch self {
        case .number(let text), .text(let text):
            guard let number = Double(decimal: text) else { throw .notANumber }
            return number
        case .absent, .null, .boolean, .list, .object:
            throw .notANumber
        }
    }

    fileprivate func number(from minimum: Int) throws(Violation) -> Double {
        let number = try number()
        guard number >= Double(minimum) else { throw .tooSmall(minimum: minimum) }
        return number
    }

    fileprivate func number(in range: ClosedRange<Int>) throws(Violation) -> Double {
        let number = try number(from: range.lowerBound)
        guard number <= Double(range.upperBound) else { throw .tooLarge(maximum: range.upperBound) }
        return number
    }

    fileprivate func integer(in range: ClosedRange<Int>) throws(Violation) -> Int {
        let number = try number()
        guard number.rounded() == number else { throw .notAnInteger }
        guard let integer = Int(exactly: try self.number(in: range)) else { throw .notAnInteger }
        return integer
    }

    fileprivate func text(maximum: Int) throws(Violation) -> String {
        guard let text = spelling, !text.utf8.contains(0) else { throw .invalid }
        // A text has no more characters than bytes, so most need not be counted.
        guard text.utf8.count <= maximum || text.unicodeScalars.count <= maximum else {
            throw .tooLong(maximum: maximum)
        }
        return text
    }

    fileprivate func timestamp() throws(Violation) -> Timestamp {
        guard case .text(let text) = self else { throw .notATime }
        guard let timestamp = Timestamp(parsing: text) else {
            throw Self.hasSpaceForPlus(text) ? .lostPlus : .notATime
        }
        return timestamp
    }

    /// Returns whether a text would be a time if its last space were a plus.
    ///
    /// In a form or a query, a plus that is not encoded becomes a space.
    private static func hasSpaceForPlus(_ text: String) -> Bool {
        guard let space = text.lastIndex(of: " ") else { return false }
        let start = text[..<space]
        return Timestamp(parsing: "\(start)+\(text[text.index(after: space)...])") != nil
    }
}
