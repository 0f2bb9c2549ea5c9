/// A setting: its name, its allowed values and the property of `Configuration` that it sets.
package struct Setting: Sendable {
    /// The name in the environment and in `.env`, such as `SQLITE_SYNCHRONOUS`.
    package let name: String
    /// The effect of the setting, in one sentence.
    package let summary: String
    /// Additional details, one or more complete sentences; empty if there are none.
    package let details: String
    /// The allowed values, in words that follow "must be".
    package let allowed: String
    /// The default value or a description of it, or an empty string if there is no default.
    package let defaultText: String
    /// The value that `.env.example` shows.
    package let example: String
    /// Whether its value is never shown.
    package let isSecret: Bool
    /// Whether its value may also be read from a file, because it is secret or long.
    package let canBeInFile: Bool
    /// Whether its flag may stand without a value.
    package let isSwitch: Bool
    /// Returns the value in force, as it may be shown.
    package let text: @Sendable (Configuration) -> String
    /// Sets a value in the configuration, or returns false if the text isn't an allowed value.
    package let store: @Sendable (String, inout Configuration) -> Bool
    /// Returns what is wrong with a text that isn't an allowed value, if there is more to say.
    package let fault: @Sendable (String) -> String?

    /// Creates a setting for a property that `text` shows and `parse` reads, nil if not allowed.
    ///
    /// Unless `default` describes it, the default is the property's initial value.
    init<Value>(
        _ name: String,
        _ summary: String,
        details: String = "",
        allowed: String,
        default defaultText: String? = nil,
        example: String? = nil,
        isSecret: Bool = false,
        hasSecret: Bool = false,
        canBeInFile: Bool = false,
        isSwitch: Bool = false,
        _ property: any WritableKeyPath<Configuration, Value> & Sendable,
        text: @escaping @Sendable (Value) -> String,
        parse: @escaping @Sendable (String) -> Value?,
        fault: @escaping @Sendable (String) -> String? = { _ in nil }
    ) {
        let initial = Configuration(coreCount: 1, isTerminal: false)[keyPath: property]
        self.name = name
        self.summary = summary
        self.details = details
        self.allowed = allowed
        self.defaultText = defaultText ?? text(initial)
        self.example = example ?? self.defaultText
        self.isSecret = isSecret
        self.canBeInFile = isSecret || hasSecret || canBeInFile
        self.fault = fault
        self.isSwitch = isSwitch
        self.text = { text($0[keyPath: property]) }
        store = { text, configuration in
            guard let value = parse(text) else { return false }
            configuration[keyPath: property] = value
            return true
        }
    }

    /// The effect and the details.
    package var description: String { details.isEmpty ? summary : summary + " " + details }

    /// The default value, its description, or `none`.
    package var shownDefault: String { defaultText.isEmpty ? "none" : defaultText }

    /// The flag of the command line, such as `--sqlite-synchronous`.
    package var flag: String { Self.flag(of: name) }

    /// The name that gives the path of a file with the value; nil unless that is allowed.
    package var fileName: String? { canBeInFile ? name + "_FILE" : nil }

    /// The name, and the file's name if there is one.
    package var names: [String] { [name] + (fileName.map { [$0] } ?? []) }

    /// Returns the flag for a setting's name.
    package static func flag(of name: String) -> String {
        "--" + String(name.lowercased().map { $0 == "_" ? "-" : $0 })
    }

    /// Returns the value for an error message, without secrets.
    package func shown(_ value: String) -> String {
        if isSecret { return Self.hidden }
        let isPlain = !canBeInFile || DatabaseURL.isPlain(value)
        return isPlain ? Self.quoted(value) : Self.redacted(value)
    }

    /// Returns any text that a person has typed for an error message, without passwords.
    package static func quoted(_ text: String) -> String {
        mayHavePassword(text) ? redacted(text) : "\"\(text)\""
    }

    /// Returns whether a text that a person has typed may contain a password.
    ///
    /// A password can be in any part of a database's URL, before the host of another one, or after
    /// `password=`. The path of a file with passwords contains none.
    package static func mayHavePassword(_ text: String) -> Bool {
        let text = text.lowercased()
        let scheme = text.prefix { $0 != ":" }
        let rest = text.dropFirst(scheme.count)
        let isDatabase = ["postgres", "postgresql", "jdbc", "mysql"].contains { scheme == $0 }
        let hasCredentials = rest.prefix { $0 != " " }.contains("@")
        let words = text.split(separator: "passw", omittingEmptySubsequences: false).dropFirst()
        let isAssigned = words.contains { word in
            word.drop { $0.isLetter || $0.isWhitespace }.first == "="
        }
        let isURLWithQuery = rest.hasPrefix("://") && rest.contains { "?=".contains($0) }
        return isDatabase && !rest.isEmpty || hasCredentials || isAssigned || isURLWithQuery
    }

    /// Returns only the scheme of a URL, or a note for any other text.
    private static func redacted(_ text: String) -> String {
        let scheme = text.prefix {
            $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0))
        }
        let isScheme = !scheme.isEmpty && text.dropFirst(scheme.count).first == ":"
        return isScheme ? "\"\(scheme):…\"" : hidden
    }

    private static let hidden = "(hidden)"
}

extension Setting {
    /// Creates a setting for a whole number within bounds.
    static func integer(
        _ name: String,
        _ summary: String,
        details: String = "",
        in range: ClosedRange<Int>,
        default defaultText: String? = nil,
        example: String? = nil,
        _ property: any WritableKeyPath<Configuration, Int> & Sendable
    ) -> Setting {
        Setting(
            name,
            summary,
            details: details,
            allowed: "a whole number from \(range.lowerBound) to \(range.upperBound)",
            default: defaultText,
            example: example,
            property,
            text: { String($0) },
            parse: { text in decimal(text).flatMap { range.contains($0) ? $0 : nil } }
        )
    }

    /// Creates a setting for `on` or `off`.
    static func onOff(
        _ name: String,
        _ summary: String,
        details: String = "",
        _ property: any WritableKeyPath<Configuration, Bool> & Sendable
    ) -> Setting {
        Setting(
            name,
            summary,
            details: details,
            allowed: "on or off",
            property,
            text: { $0 ? "on" : "off" },
            parse: { ["on": true, "off": false][$0.lowercased()] }
        )
    }

    /// Creates a setting for one word of a list; case is ignored.
    static func choice<Value: RawRepresentable<String> & CaseIterable & Sendable>(
        _ name: String,
        _ summary: String,
        details: String = "",
        default defaultText: String? = nil,
        example: String? = nil,
        _ property: any WritableKeyPath<Configuration, Value> & Sendable
    ) -> Setting {
        Setting(
            name,
            summary,
            details: details,
            allowed: alternatives(Value.allCases.map(\.rawValue)),
            default: defaultText,
            example: example,
            property,
            text: { $0.rawValue },
            parse: { text in
                Value.allCases.first { $0.rawValue.lowercased() == text.lowercased() }
            }
        )
    }

    /// Parses decimal digits; unlike `Int.init`, it rejects signs.
    static func decimal(_ text: String) -> Int? {
        text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            ? Int(text) : nil
    }

    /// Returns the words joined as "a, b or c".
    package static func alternatives(_ words: [String]) -> String {
        words.count < 2
            ? words.joined()
            : words.dropLast().joined(separator: ", ") + " or " + words.suffix(1).joined()
    }

    /// Returns the trimmed parts between commas, without empty ones.
    static func list(_ text: String) -> [String] {
        text.split(separator: ",").map { trimmed($0) }.filter { !$0.isEmpty }
    }

    private static func trimmed(_ text: Substring) -> String {
        var text = text
        while text.first?.isWhitespace == true { text.removeFirst() }
        while text.last?.isWhitespace == true { text.removeLast() }
        return String(text)
    }
}
