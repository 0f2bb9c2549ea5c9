import Glibc
import Rules
import Words

extension EventColumn {
    /// The name of an attribute in errors, such as `Image url`.
    var title: String { Self.titles[rawValue] }

    // Made once: each event that is stored needs them all.
    private static let titles = allCases.map { column in
        let words = column.column.name.replacing("_", with: " ")
        return words.prefix(1).uppercased() + words.dropFirst()
    }

    /// The value of one of `details` that means the same as none.
    var defaultDetail: String? {
        switch self {
        case .status: EventStatus.scheduled.rawValue
        case .visibility: EventVisibility.everybody.rawValue
        default: nil
        }
    }

    /// The rule for one of `details`, which returns the stored form of its value.
    var rule: Rule<String> {
        switch self {
        case .url, .imageURL: .webAddress(maximum: column.maximumLength)
        case .category: .category(maximum: column.maximumLength)
        case .tags: .tags
        case .status: .oneOf(EventStatus.allCases.map(\.rawValue))
        case .visibility: .oneOf(EventVisibility.allCases.map(\.rawValue))
        case .allDay: .allDay(hasDates: true)
        case .data: .data(maximumBytes: column.maximumLength)
        default: .text(maximum: column.maximumLength)
        }
    }
}

extension Rule<String> {
    /// Accepts an absolute http or https URL of printable ASCII, without a user name.
    fileprivate static func webAddress(maximum: Int) -> Rule {
        Rule { input throws(Violation) in
            let text = try Rule.text(maximum: maximum).check(input)
            guard WebAddress.isValid(text) else { throw .notAWebAddress }
            return text
        }
    }

    /// Accepts words of a-z and digits with single hyphens between them; capitals become small.
    fileprivate static func category(maximum: Int) -> Rule {
        Rule { input throws(Violation) in
            guard let text = input.spelling, text.utf8.count <= maximum else { throw .notACategory }
            let words = text.split(separator: "-", omittingEmptySubsequences: false)
            guard words.allSatisfy({ !$0.isEmpty && $0.allSatisfy(\.isASCIILetterOrDigit) }) else {
                throw .notACategory
            }
            return text.lowercased()
        }
    }

    /// Accepts a list of texts, or a text with commas between tags, and joins the tags by commas.
    fileprivate static let tags = Rule { input throws(Violation) in
        var texts: [String] = []
        switch input {
        case .list(let elements):
            for element in elements {
                guard let text = element.spelling else { throw .notTexts }
                texts.append(text)
            }
        default:
            guard let text = input.spelling else { throw .notTexts }
            texts = Tag.split(text)
        }
        do throws(Tag.Failure) {
            return try Tag.list(texts).map(\.text).joined(separator: ",")
        } catch {
            throw error == .tooMany ? .tooManyTags : .notATag
        }
    }

    /// Accepts one of these texts.
    fileprivate static func oneOf(_ names: [String]) -> Rule {
        Rule { input throws(Violation) in
            guard let text = input.spelling, names.contains(text) else {
                throw Violation(predicate: "must be one of \(names.joined(separator: ", "))")
            }
            return text
        }
    }

    /// Accepts a boolean, which can be true only if the event's times are dates.
    static func allDay(hasDates: Bool) -> Rule {
        Rule { input throws(Violation) in
            guard let isAllDay = try? Rule<Bool>.boolean.check(input) else { throw .notABoolean }
            guard hasDates || !isAllDay else { throw .hasTimesOfDay }
            return isAllDay ? "true" : ""
        }
    }

    /// Accepts an object.
    fileprivate static func data(maximumBytes: Int) -> Rule {
        Rule { input throws(Violation) in
            guard case .object(let json, let repeatedKey) = input else { throw .notAnObject }
            if let repeatedKey { throw .hasTwice(key: repeatedKey) }
            guard json.utf8.count <= maximumBytes else {
                throw .tooManyBytes(maximum: maximumBytes)
            }
            return json
        }
    }
}

extension Violation {
    fileprivate static let notAWebAddress = Violation(
        predicate: "must be an absolute http or https URL"
    )
    fileprivate static let notACategory = Violation(
        predicate: "must be 1 to 40 letters a-z, digits and single hyphens, such as live-music"
    )
    fileprivate static let notTexts = Violation(predicate: "must be a list of texts")
    fileprivate static let tooManyTags = Violation(predicate: "has more than 10 values")
    fileprivate static let notATag = Violation(
        predicate: "must have 1 to 50 characters each, and no commas or control characters"
    )
    fileprivate static let notABoolean = Violation(predicate: "must be true or false")
    fileprivate static let hasTimesOfDay = Violation(
        predicate: "needs dates such as 2026-06-02 as started_at and ended_at"
    )
    fileprivate static let notAnObject = Violation(
        predicate: "must be a JSON object (in a form: its text)"
    )

    fileprivate static func tooManyBytes(maximum: Int) -> Violation {
        Violation(predicate: "is too large (maximum is \(maximum) bytes)")
    }

    /// Shows at most 40 characters of the key.
    fileprivate static func hasTwice(key: String) -> Violation {
        Violation(predicate: "has a key twice: \(String(key.unicodeScalars.prefix(40)))")
    }
}

extension Character {
    fileprivate var isASCIILetterOrDigit: Bool { isASCII && (isLetter || isNumber) }
}

/// The syntax of links that clients may open: absolute http and https URLs (RFC 3986 section 3).
private enum WebAddress {
    /// Returns whether a text is printable ASCII with a scheme, a host and perhaps a port, and
    /// without a user name.
    static func isValid(_ text: String) -> Bool {
        let isWritable = text.utf8.allSatisfy { byte in
            (0x21...0x7E).contains(byte) && !#"<>"\^`{|}"#.utf8.contains(byte)
        }
        let start = ["http://", "https://"].first { text.lowercased().hasPrefix($0) }
        guard isWritable, let start else { return false }
        let authority = text.dropFirst(start.count).prefix { !"/?#".contains($0) }
        let end = authority.lastIndex(of: "]").map { authority.index(after: $0) }
        let port = authority[(end ?? authority.startIndex)...].drop { $0 != ":" }
        return isHost(authority[..<port.startIndex]) && (port.isEmpty || isPort(port.dropFirst()))
    }

    private static func isHost(_ text: Substring) -> Bool {
        if text.hasPrefix("["), text.hasSuffix("]") {
            return isIPv6Address(String(text.dropFirst().dropLast()))
        }
        return (1...253).contains(text.count)
            && text.allSatisfy { $0.isLetter || $0.isNumber || "._-".contains($0) }
    }

    private static func isIPv6Address(_ text: String) -> Bool {
        var address = in6_addr()
        // The text ends with a null, and the address has the size of its family.
        return unsafe inet_pton(AF_INET6, text, &address) == 1
    }

    private static func isPort(_ digits: Substring) -> Bool {
        guard digits.count <= 5, digits.allSatisfy(\.isNumber), let port = Int(digits) else {
            return false
        }
        return (1...65535).contains(port)
    }
}
