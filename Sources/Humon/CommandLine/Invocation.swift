import Settings

/// A parsed command line.
struct Invocation: Sendable {
    /// The command that the line names, with its arguments.
    let command: any RunnableCommand
    /// The settings on the line, for `command`.
    let context: CommandContext

    /// Parses the arguments after the program's name.
    ///
    /// Flags can be anywhere, as `--port 3000` or `--port=3000`. After `--`, nothing is a flag.
    /// `--help`, `-h` and `--version` take precedence over everything else.
    ///
    /// - Throws: `UsageError`.
    init(arguments: [String]) throws {
        var scanner = ArgumentScanner(arguments)
        try scanner.scan()
        context = scanner.context
        command = try scanner.command()
    }
}

/// Sorts the arguments into words, settings and options in one pass.
private struct ArgumentScanner {
    private var remaining: ArraySlice<String>
    private var words: [String] = []
    private var options: [(name: String, value: String)] = []
    private(set) var context = CommandContext()
    private var asksForHelp = false
    private var asksForVersion = false

    init(_ arguments: [String]) {
        remaining = arguments[...]
    }

    mutating func scan() throws(UsageError) {
        while let argument = remaining.popFirst() {
            if argument == "--" {
                words += remaining
                remaining = []
            } else if argument == "-h" {
                asksForHelp = true
            } else if argument.hasPrefix("-"), argument != "-" {
                try flag(argument)
            } else {
                words.append(argument)
            }
        }
    }

    func command() throws -> any RunnableCommand {
        // Otherwise messages about a file, for example, would repeat the password.
        let hasURL = words.starts(with: ["webhook", "add"])
        if !hasURL, let url = words.first(where: Setting.mayHavePassword) {
            throw UsageError(
                "Unexpected argument \(Setting.quoted(url)). Give the URL of a database with "
                    + "--database-url."
            )
        }
        let topic = words.joined(separator: " ")
        if asksForHelp, !Commands.beginning(with: topic).isEmpty {
            return HelpCommand(topic: topic)
        }
        let (command, positional) = try find()
        let description = command.description
        if asksForHelp { return HelpCommand(topic: words.isEmpty ? nil : description.name) }
        if asksForVersion { return VersionCommand() }
        var arguments = Arguments(command: description.name, positional: positional)
        arguments.typedOptions = options
        for option in options {
            guard description.options.contains(where: { $0.name == option.name }) else {
                throw UsageError("`\(description.usage)` has no flag --\(option.name).")
            }
            arguments.options[option.name] = option.value
        }
        if description.arguments.isEmpty { try arguments.end() }
        return try command.parse(arguments)
    }

    /// Returns the command that the first words name, and the remaining words.
    private func find() throws(UsageError) -> (CommandRow, [String]) {
        let first = words.first ?? ServeCommand.description.name
        let typed = words.isEmpty ? [first] : words
        for command in Commands.all {
            let name = command.description.words
            if typed.starts(with: name) { return (command, Array(typed.dropFirst(name.count))) }
        }
        let names = Commands.descriptions.map(\.name)
        let isHalf = names.contains { $0.hasPrefix(first + " ") }
        if isHalf, typed.count == 1 {
            throw UsageError("\"\(first)\" is not a complete command. See `humon help \(first)`.")
        }
        let unknown = isHalf ? typed.prefix(2).joined(separator: " ") : first
        throw .unknown("command", unknown, among: names)
    }

    private mutating func flag(_ argument: String) throws(UsageError) {
        let name = String(argument.prefix { $0 != "=" })
        let attached = name == argument ? nil : String(argument.dropFirst(name.count + 1))
        switch name {
        case "--help": asksForHelp = true
        case "--version": asksForVersion = true
        case "--env-file": context.settingsFile = try value(of: name, attached)
        default:
            if let setting = Self.settingNames[name] {
                context.flags[setting] = try settingValue(setting, flag: name, attached)
            } else {
                try option(name, attached)
            }
        }
    }

    private mutating func settingValue(
        _ setting: String,
        flag: String,
        _ attached: String?
    ) throws(UsageError) -> String {
        guard attached == nil, Setting.named(setting)?.isSwitch == true else {
            return try value(of: flag, attached)
        }
        guard let next = remaining.first, Bool(next) != nil || isSuperfluous(next) else {
            return "true"
        }
        remaining.removeFirst()
        return next
    }

    /// Returns whether the next word can only be the value of a switch, even if an invalid one.
    ///
    /// That is so if it can be neither part of a command nor an argument.
    private func isSuperfluous(_ next: String) -> Bool {
        guard !next.hasPrefix("-") else { return false }
        let typed = words + [next]
        let commands = Commands.descriptions
        if let command = commands.first(where: { words.starts(with: $0.words) }) {
            return command.arguments.isEmpty && words.count == command.words.count
        }
        return !commands.contains { $0.words.starts(with: typed) }
    }

    private mutating func option(_ flag: String, _ attached: String?) throws(UsageError) {
        let name = String(flag.dropFirst(2))
        let known = Commands.descriptions.flatMap(\.options)
        guard flag.hasPrefix("--"), let option = known.first(where: { $0.name == name }) else {
            let flags = known.map { "--" + $0.name } + Self.settingNames.keys.sorted()
            throw .unknown("flag", flag, among: flags + ["--help", "--version", "--env-file"])
        }
        if option.value != nil {
            options.append((name, try value(of: flag, attached)))
        } else if attached == nil {
            options.append((name, ""))
        } else {
            throw UsageError("\(flag) doesn't accept a value.")
        }
    }

    private mutating func value(of flag: String, _ attached: String?) throws(UsageError) -> String {
        if let attached { return attached }
        guard let next = remaining.popFirst(), !next.hasPrefix("--") else {
            throw UsageError("\(flag) needs a value.")
        }
        return next
    }

    /// The settings' names by their flags.
    private static let settingNames = Dictionary(
        uniqueKeysWithValues: (Setting.all.flatMap(\.names) + Setting.formerNames).map { name in
            (Setting.flag(of: name), name)
        }
    )
}
