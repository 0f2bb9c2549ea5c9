import Time

/// Makes the value of an input that is there, or throws why there is none.
struct Rule<Value>: Sendable {
    let check: @Sendable (Input) throws(Violation) -> Value
}

extension Rule<Double> {
    /// A finite number: a JSON number, or a text that is a decimal number.
    static let number = Rule { input throws(Violation) in
        try input.number()
    }

    /// A finite number of `minimum` or more.
    static func number(from minimum: Int) -> Rule {
        Rule { input throws(Violation) in try input.number(from: minimum) }
    }

    /// A finite number inside `range`.
    static func number(in range: ClosedRange<Int>) -> Rule {
        Rule { input throws(Violation) in try input.number(in: range) }
    }
}

extension Rule<Int> {
    /// A number without a fraction inside `range`; `5.0` is an integer, too.
    static func integer(in range: ClosedRange<Int>) -> Rule {
        Rule { input throws(Violation) in try input.integer(in: range) }
    }
}

extension Rule<String> {
    /// A text as it was sent, of up to `maximum` characters (Unicode scalars) without U+0000.
    ///
    /// A number is taken as its digits, a boolean as `true` or `false`.
    static func text(maximum: Int) -> Rule {
        Rule { input throws(Violation) in try input.text(maximum: maximum) }
    }
}

extension Rule<String> {
    /// A text of as many characters as `length` holds, else as `text(maximum:)`.
    static func text(in length: ClosedRange<Int>) -> Rule {
        Rule { input throws(Violation) in
            let text = try input.text(maximum: length.upperBound)
            guard text.unicodeScalars.count >= length.lowerBound else {
                throw .tooShort(minimum: length.lowerBound)
            }
            return text
        }
    }
}

extension Rule<EmailAddress> {
    /// An address that a new account may have.
    static let emailAddress = Rule { input throws(Violation) in
        let text = try input.text(maximum: EmailAddress.maximumLength)
        guard let address = EmailAddress(text), !address.hasInvisibleCharacters else {
            throw .invalid
        }
        return address
    }
}

extension Rule<Bool> {
    /// A boolean, or one of the words that forms have for it, in any case of letters.
    static let boolean = Rule { input throws(Violation) in
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
    /// A text that names an instant.
    static let timestamp = Rule { input throws(Violation) in
        try input.timestamp()
    }
}

extension Input {
    fileprivate func number() throws(Violation) -> Double {
        switch self {
        case .number(let text), .text(let text):
            guard let number = Double(decimal: text) else { throw .notANumber }
            return number
        case .absent, .null, .boolean, .structure:
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
        guard case .text(let text) = self else { throw .invalid }
        guard let timestamp = Timestamp(parsing: text) else {
            throw Self.hasSpaceForPlus(text) ? .lostPlus : .invalid
        }
        return timestamp
    }

    /// Whether a text would be a time if its last space were a plus: that is what a form or a
    /// query makes of an offset whose plus is not encoded.
    private static func hasSpaceForPlus(_ text: String) -> Bool {
        guard let space = text.lastIndex(of: " ") else { return false }
        let start = text[..<space]
        return Timestamp(parsing: "\(start)+\(text[text.index(after: space)...])") != nil
    }
}
