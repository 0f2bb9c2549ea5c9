import Model
import Settings

/// The arguments after a command's name.
struct Arguments: Sendable {
    /// The name of the command, for messages.
    let command: String
    var positional: [String] = []
    /// The values of the command's flags by their names; empty for flags without a value.
    var options: [String: String] = [:]
    /// The flags as they were typed, also those that were repeated.
    var typedOptions: [(name: String, value: String)] = []

    /// Returns whether the line contains the flag.
    func has(_ option: String) -> Bool {
        options[option] != nil
    }

    /// Throws if there are more than `count` positional arguments.
    func end(after count: Int = 0) throws(UsageError) {
        guard let extra = positional.dropFirst(count).first else { return }
        throw UsageError("Unexpected argument \(Setting.quoted(extra)).")
    }

    /// Returns the only positional argument, which the help calls `name`.
    func only(_ name: String) throws(UsageError) -> String {
        guard let text = positional.first else { throw missing(name) }
        try end(after: 1)
        return text
    }

    /// Returns the only positional argument, the path of a file.
    func file() throws(UsageError) -> String {
        guard positional.first != "" else { throw missing("FILE") }
        return try only("FILE")
    }

    /// Returns the only positional argument, an e-mail address.
    func email() throws(UsageError) -> EmailAddress {
        let text = try only("EMAIL")
        guard let email = EmailAddress(text) else {
            throw UsageError("\"\(text)\" is not an e-mail address.")
        }
        return email
    }

    /// Returns the text as the id of a record, such as `a user`.
    static func id(of record: String, _ text: String) throws(UsageError) -> Int64 {
        guard let id = Int64(text), id > 0 else {
            throw UsageError(
                "\(Setting.quoted(text)) is not \(record)'s id. Ids are whole numbers from 1."
            )
        }
        return id
    }

    private func missing(_ argument: String) -> UsageError {
        UsageError("\(argument) is missing. See `humon help \(command)`.")
    }
}

/// An invalid command line, for which the program exits with 64 (EX_USAGE).
package struct UsageError: Error, Equatable {
    package let message: String

    package init(_ message: String) {
        self.message = message
    }

    /// Returns the error for an unknown word, with the most similar known word as a hint.
    static func unknown(_ kind: String, _ word: String, among known: [String]) -> UsageError {
        let hint = Suggestion.closest(to: word, in: known).map { " did you mean \"\($0)\"?" }
        let text = Setting.quoted(word)
        return UsageError("\(text) is not a \(kind);" + (hint ?? " see `humon help`."))
    }
}
