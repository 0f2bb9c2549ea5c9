import HTTP
import Settings

/// `humon completions`: prints a script that completes the command line in a shell.
struct CompletionsCommand: ProgramCommand {
    static let description = CommandDescription(
        name: "completions",
        arguments: "SHELL",
        summary: "Print completions for bash, zsh or fish."
    )

    /// A shell that there is a script for.
    enum Shell: String, CaseIterable {
        case bash
        case zsh
        case fish
    }

    let shell: Shell

    static func parse(_ arguments: Arguments) throws(UsageError) -> Self {
        let text = try arguments.only("SHELL")
        guard let shell = Shell(rawValue: text) else {
            let names = Setting.alternatives(Shell.allCases.map(\.rawValue))
            throw UsageError("\"\(text)\" is not a shell with completions. Name \(names).")
        }
        return Self(shell: shell)
    }

    func run(in context: CommandContext) -> ExitCode {
        Terminal.output.write(Self.text(for: shell))
        return .success
    }

    /// Returns the script for a shell.
    static func text(for shell: Shell) -> String {
        switch shell {
        case .bash: bash
        case .zsh: zsh
        case .fish: fish
        }
    }

    /// The words that can follow others: those of commands, and the flags of each.
    private static var bash: String {
        let flags = Commands.descriptions.filter { !$0.options.isEmpty }.map { command in
            let names = command.options.map { "--" + $0.name }.joined(separator: " ")
            return "        '\(command.name)'*) flags=\"\(names) $flags\" ;;"
        }
        let seconds = (groups + arguments).map { name, words in
            "        \(name)) words='\(words.joined(separator: " "))' ;;"
        }
        return """
            # Completions of humon for bash.
            _humon() {
                local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}
                local flags='\(commonFlags)' words=
                case $before in
                --env-file)
                    mapfile -t COMPREPLY < <(compgen -f -- "$word")
                    return
                    ;;
                esac
                case "${COMP_WORDS[*]:1:COMP_CWORD-1}" in
            \(flags.joined(separator: "\n"))
                esac
                if [[ $word == -* ]]; then
                    mapfile -t COMPREPLY < <(compgen -W "$flags" -- "$word")
                    return
                fi
                if ((COMP_CWORD == 1)); then
                    words='\(firstWords.joined(separator: " "))'
                elif ((COMP_CWORD == 2)); then
                    case $before in
            \(seconds.joined(separator: "\n"))
                    esac
                fi
                if [[ $words ]]; then
                    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
                else
                    mapfile -t COMPREPLY < <(compgen -f -- "$word")
                fi
            }
            complete -o filenames -F _humon humon

            """
    }

    private static var zsh: String {
        let flags = Commands.descriptions.filter { !$0.options.isEmpty }.map { command in
            let rows = command.options.map { ("--" + $0.name, $0.meaning) }
            return "    '\(command.name)'*) flags+=(\(described(rows))) ;;"
        }
        let seconds = groups.map { name, words in
            let rows = words.map { word in (word, summary(of: "\(name) \(word)")) }
            return "    \(name)) words2=(\(described(rows))) ;;"
        }
        let settings = Setting.all.map { ($0.flag, $0.summary) }
        return """
            #compdef humon
            # Completions of humon for zsh.
            _humon() {
                local -a commands flags words2
                commands=(\(described(firstWords.map { ($0, summary(of: $0)) })))
                flags=(\(described(settings + HelpCommand.flagsOfAll)))
                case "${words[2,-1]}" in
            \(flags.joined(separator: "\n"))
                esac
                case "${words[2]}" in
            \(seconds.joined(separator: "\n"))
                help) words2=($commands) ;;
                completions) words2=(\(Shell.allCases.map(\.rawValue).joined(separator: " "))) ;;
                esac
                if [[ ${words[CURRENT]} == -* ]]; then
                    _describe flag flags
                elif ((CURRENT == 2)); then
                    _describe command commands
                elif ((CURRENT == 3 && ${#words2})); then
                    _describe command words2
                else
                    _files
                fi
            }
            _humon "$@"

            """
    }

    /// Returns the elements of an array for `_describe` of zsh.
    private static func described(_ rows: [(String, String)]) -> String {
        rows.map { "\($0.0):\($0.1)".quotedForShell }.joined(separator: " ")
    }

    /// Returns the summary of a command, or the names of the commands that begin with the word.
    private static func summary(of name: String) -> String {
        let commands = Commands.beginning(with: name)
        if let command = commands.first, commands.count == 1 { return command.summary }
        return Setting.alternatives(commands.map { $0.words.dropFirst().joined(separator: " ") })
    }

    private static var fish: String {
        var lines = ["# Completions of humon for fish."]
        for word in firstWords {
            let summary = summary(of: word).quotedForShell
            lines.append("complete -c humon -n __fish_use_subcommand -a \(word) -d \(summary)")
        }
        for (name, words) in groups {
            for word in words {
                let condition = "__fish_seen_subcommand_from \(name)".quotedForShell
                let summary = summary(of: "\(name) \(word)").quotedForShell
                lines.append("complete -c humon -n \(condition) -f -a \(word) -d \(summary)")
            }
        }
        for (name, words) in arguments {
            let condition = "__fish_seen_subcommand_from \(name)".quotedForShell
            let list = words.joined(separator: " ").quotedForShell
            lines.append("complete -c humon -n \(condition) -f -a \(list)")
        }
        for command in Commands.descriptions {
            for option in command.options {
                let name = command.words.map { "__fish_seen_subcommand_from \($0)" }
                    .joined(separator: "; and ").quotedForShell
                let value = option.value == nil ? "" : " -r"
                lines.append(
                    "complete -c humon -n \(name) -l \(option.name)\(value)"
                        + " -d \(option.meaning.quotedForShell)"
                )
            }
        }
        for setting in Setting.all {
            let summary = setting.summary.quotedForShell
            lines.append("complete -c humon -l \(setting.flag.dropFirst(2)) -r -d \(summary)")
        }
        for (flag, meaning) in HelpCommand.flagsOfAll {
            lines.append("complete -c humon -l \(flag.dropFirst(2)) -d \(meaning.quotedForShell)")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// The flags of every command.
    private static var commonFlags: String {
        (Setting.all.map(\.flag) + HelpCommand.flagsOfAll.map(\.0)).joined(separator: " ")
    }

    private static var firstWords: [String] {
        var words: [String] = []
        for command in Commands.descriptions {
            if let word = command.words.first, !words.contains(word) { words.append(word) }
        }
        return words
    }

    /// The commands with a known argument, with its values.
    private static var arguments: [(String, [String])] {
        [("help", firstWords), ("completions", Shell.allCases.map(\.rawValue))]
    }

    /// The first words of commands of two words, with their second words.
    private static var groups: [(String, [String])] {
        firstWords.compactMap { first in
            let words = Commands.descriptions.map(\.words)
                .filter { $0.first == first }.compactMap { $0.dropFirst().first }
            return words.isEmpty ? nil : (first, words)
        }
    }
}

extension String {
    /// The text as one word of a POSIX shell or fish, in quotes.
    var quotedForShell: String { "'" + replacing("'", with: #"'\''"#) + "'" }

    /// The text as one word of a POSIX shell, in quotes if it needs any.
    var shellWord: String {
        let isPlain = utf8.allSatisfy { byte in
            byte != UInt8(ascii: "~") && (byte.isUnreserved || "/:,+@%=".utf8.contains(byte))
        }
        return isPlain && !isEmpty ? self : quotedForShell
    }
}
