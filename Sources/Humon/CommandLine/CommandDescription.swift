import Model

/// A command as the parser and the help describe it.
struct CommandDescription: Sendable {
    /// The name, in one or two words, such as `token revoke`.
    let name: String
    /// The positional arguments as the help shows them, such as `FILE`.
    var arguments = ""
    let summary: String
    /// The paragraphs that the help shows after the flags.
    var notes: [String] = []
    var options: [Option] = []
    /// Creates the command; throws if arguments are missing, superfluous or invalid.
    let make: @Sendable (Arguments) throws(UsageError) -> Command

    /// A flag of one command.
    struct Option: Sendable {
        /// Without the hyphens.
        let name: String
        /// The name of its value in the help; nil if it has no value.
        var value: String?
        let meaning: String
    }

    /// The arguments after the command's name.
    struct Arguments: Sendable {
        var positional: [String] = []
        var options: [String: String] = [:]
    }

    var usage: String {
        (["humon", name] + (arguments.isEmpty ? [] : [arguments])).joined(separator: " ")
    }
}

extension CommandDescription {
    /// The commands whose names begin with the words of `topic`, such as `token`.
    static func beginning(with topic: String) -> [CommandDescription] {
        all.filter { $0.name == topic || $0.name.hasPrefix(topic + " ") }
    }

    static let all: [CommandDescription] = [
        CommandDescription(name: "serve", summary: "Start the server (the default).") {
            arguments throws(UsageError) in
            try arguments.end()
            return .serve
        },
        CommandDescription(
            name: "migrate",
            summary: "Apply pending migrations.",
            options: [Option(name: "status", meaning: "Only list the migrations.")]
        ) { arguments throws(UsageError) in
            try arguments.end()
            return .migrate(showsStatus: arguments.options["status"] != nil)
        },
        CommandDescription(name: "routes", summary: "List every route.") {
            arguments throws(UsageError) in
            try arguments.end()
            return .routes
        },
        CommandDescription(
            name: "import",
            arguments: "FILE",
            summary: "Add records from a .ndjson, .csv or .geojson file.",
            notes: [TransferHelp.fields, TransferHelp.csv, TransferHelp.importing],
            options: [
                Option(name: "strict", meaning: "Stop at the first record that can't be added."),
                Option(name: "atomic", meaning: "Add all records or, if one can't be added, none."),
                Option(name: "owner", value: "ID", meaning: "Own the events that name no owner."),
                Option(name: "format", value: "FORMAT", meaning: "Name the format of the file."),
            ] + Option.kinds
        ) { arguments throws(UsageError) in
            guard let path = arguments.positional.first else { throw .missing("FILE", "import") }
            try arguments.end(after: 1)
            let kind = try arguments.kind()
            return .importRecords(
                kind,
                path: path,
                format: try arguments.format(of: kind, path: path),
                ImportOptions(
                    isStrict: arguments.options["strict"] != nil,
                    isAtomic: arguments.options["atomic"] != nil,
                    ownerID: try arguments.owner(of: kind)
                )
            )
        },
        CommandDescription(
            name: "export",
            arguments: "[FILE]",
            summary: "Write records to FILE, or to standard output.",
            notes: [TransferHelp.fields, TransferHelp.csv, TransferHelp.exporting],
            options: [
                Option(name: "format", value: "FORMAT", meaning: "Write ndjson, csv or geojson.")
            ] + Option.kinds
        ) { arguments throws(UsageError) in
            try arguments.end(after: 1)
            // As in other programs, `-` is standard output; a file of that name is `./-`.
            let path = arguments.positional.first.flatMap { $0 == "-" ? nil : $0 }
            let kind = try arguments.kind()
            let format = try arguments.format(of: kind, path: path)
            return .exportRecords(kind, path: path, format: format)
        },
        CommandDescription(
            name: "seed",
            summary: "Add demo records to every system that is served.",
            options: [Option(name: "again", meaning: "Add them even if there are some already.")]
        ) { arguments throws(UsageError) in
            try arguments.end()
            return .seed(isRepeated: arguments.options["again"] != nil)
        },
        CommandDescription(
            name: "backup",
            arguments: "FILE",
            summary: "Write a verified copy of the database to FILE.",
            options: [
                Option(name: "verify", meaning: "Only check FILE, an earlier backup.")
            ]
        ) { arguments throws(UsageError) in
            let path = try arguments.file(of: "backup")
            let isMade = arguments.options["verify"] == nil
            guard path != "-" else {
                throw UsageError(
                    isMade
                        ? "A backup can't be written to standard output. Name a file."
                        : "A backup can't be read from standard input. Name a file."
                )
            }
            return isMade ? .backup(path: path) : .verifyBackup(path: path)
        },
        CommandDescription(
            name: "restore",
            arguments: "FILE",
            summary: "Replace the database with a backup."
        ) { arguments throws(UsageError) in
            .restore(path: try arguments.file(of: "restore"))
        },
        CommandDescription(
            name: "doctor",
            summary: "Find problems, and say how to fix them.",
            options: [
                Option(name: "full", meaning: "Check every page and index of the database.")
            ]
        ) { arguments throws(UsageError) in
            try arguments.end()
            return .doctor(isFull: arguments.options["full"] != nil)
        },
        CommandDescription(
            name: "test-server",
            summary: "Serve a throw-away database for the tests of an app.",
            notes: [
                """
                Prints a line of JSON with url, secret and pid when it is ready. Ends when standard
                input is closed, so that no test leaves it behind, and on SIGTERM and SIGINT. It
                picks a free port, has no rate limits, and reads neither .env nor the environment.
                """
            ],
            options: [Option(name: "seed", meaning: "Add demo records.")]
        ) { arguments throws(UsageError) in
            try arguments.end()
            return .testServer(isSeeded: arguments.options["seed"] != nil)
        },
        CommandDescription(
            name: "token revoke",
            arguments: "USER_ID",
            summary: "Revoke a user's token."
        ) { arguments throws(UsageError) in
            guard let text = arguments.positional.first else {
                throw .missing("USER_ID", "token revoke")
            }
            try arguments.end(after: 1)
            guard let id = Int64(text), id > 0 else {
                throw UsageError("\"\(text)\" is not a user's id. Ids are whole numbers from 1.")
            }
            return .revokeToken(userID: id)
        },
        CommandDescription(name: "account list", summary: "List the Todo accounts.") {
            arguments throws(UsageError) in
            try arguments.end()
            return .listAccounts
        },
        CommandDescription(
            name: "account reset-password",
            arguments: "EMAIL",
            summary: "Set a random password and show it once."
        ) { arguments throws(UsageError) in
            .resetPassword(try arguments.email(of: "account reset-password"))
        },
        CommandDescription(
            name: "account sign-out",
            arguments: "EMAIL",
            summary: "End all sessions of an account."
        ) { arguments throws(UsageError) in
            .signOut(try arguments.email(of: "account sign-out"))
        },
        CommandDescription(
            name: "config",
            summary: "Show the settings in effect and where each one comes from."
        ) { arguments throws(UsageError) in
            try arguments.end()
            return .config
        },
        CommandDescription(
            name: "settings",
            summary: "Describe every setting.",
            options: [
                Option(
                    name: "format",
                    value: "FORMAT",
                    meaning: "Write text (the default), markdown or env, a file like .env.example."
                )
            ]
        ) { arguments throws(UsageError) in
            try arguments.end()
            return .settings(try arguments.referenceFormat())
        },
        CommandDescription(
            name: "examples",
            summary: "Print curl commands with your secret in them."
        ) { arguments throws(UsageError) in
            try arguments.end()
            return .examples
        },
        CommandDescription(name: "version", summary: "Show the version.") {
            arguments throws(UsageError) in
            try arguments.end()
            return .version
        },
        CommandDescription(
            name: "help",
            arguments: "[COMMAND]",
            summary: "Explain a command, or all settings with `humon help settings`."
        ) { arguments throws(UsageError) in
            guard !arguments.positional.isEmpty else { return .help(topic: nil) }
            let topic = arguments.positional.joined(separator: " ")
            let topics = all.map(\.name)
            guard topics.contains(topic) || !beginning(with: topic).isEmpty else {
                throw .unknown("command", topic, among: topics)
            }
            return .help(topic: topic)
        },
    ]
}
