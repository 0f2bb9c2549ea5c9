import Foundation
import Testing

@testable import Humon
@testable import Settings

/// The commands that packages and container engines use.
@Suite struct PackagedCommandsTests {
    @Test func `health asks the admin port, or the apps' port if that is off`() async throws {
        let server = try Program.Server()
        defer { server.stop() }
        let program = try Program()

        let byAdminPort = try program.run("health --admin-port \(server.adminPort)")
        let byPort = try program.run("health --admin-port off --port \(server.port)")
        let wrong = try program.run("health --admin-port \(server.port)")

        #expect(byAdminPort == Program.Outcome(output: "ready\n"))
        #expect(byPort == Program.Outcome(output: "ready\n"))
        #expect(
            wrong
                == Program.Outcome(
                    status: 1,
                    error: """
                        humon: The server at 127.0.0.1:\(server.port) is not ready: \
                        {"message":"Not Found"}

                        """
                )
        )
        #expect(try program.files() == [])
    }

    @Test func `health fails without a server`() throws {
        // Nothing listens on the first port.
        let outcome = try Program().run("health --admin-port 1")

        #expect(
            outcome
                == Program.Outcome(
                    status: 1,
                    error: "humon: No server answers at 127.0.0.1:1: Connection refused.\n"
                )
        )
    }

    @Test func `version names the program and its libraries`() throws {
        let outcome = try Program().run("version")

        #expect(outcome.status == 0)
        #expect(
            outcome.output.replacing(/[0-9]+(\.[0-9]+)+/, with: "N") == """
                humon N-dev
                commit     unknown
                Swift      N
                SQLite     N
                libsodium  N
                utf8proc   N
                Unicode    N

                """
        )
    }

    @Test func `man explains every command, flag and setting, and escapes troff`() throws {
        let outcome = try Program().run("man")

        #expect(outcome.status == 0)
        #expect(outcome.output == ManualCommand.text)
        let terms = outcome.output.split(separator: "\n").filter { $0.hasPrefix("\\fB") }
        func term(_ text: String) -> Substring {
            "\\fB\(text.replacing("-", with: "\\-"))\\fR"
        }
        for command in Commands.descriptions {
            #expect(terms.contains(term(command.usage)))
            for option in command.options { #expect(terms.contains(term(option.usage))) }
        }
        for setting in Setting.all {
            #expect(terms.contains(term("\(setting.name) (\(setting.flag))")))
        }
        let macros: Set = ["TH", "SH", "TP", "IP", "B", "RS", "RE", "nf", "fi"]
        for line in outcome.output.split(separator: "\n") where line.hasPrefix(".") {
            let name = line.dropFirst().prefix { $0 != " " }
            #expect(macros.contains(String(name)), "\(line)")
        }
    }

    @Test(
        arguments: [
            ("humon mi", "migrate"), ("humon account ", "list|reset-password|sign-out|delete"),
            ("humon help tok", "token"), ("humon completions z", "zsh"),
            ("humon backup --ver", "--verify|--version"), ("humon migrate --sta", "--status"),
            ("humon serve --backup-k", "--backup-keep"),
            ("humon account list --sta", ""), ("humon import in", "in 1.csv"),
        ]
    )
    func `completions complete commands and flags in bash`(line: String, words: String) throws {
        let program = try Program()
        try program.write(CompletionsCommand.text(for: .bash), to: "completions")
        try program.write("", to: "in 1.csv")
        let script = """
            source completions
            read -ra COMP_WORDS <<<'\(line)'
            [[ '\(line)' != *' ' ]] || COMP_WORDS+=('')
            COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
            _humon
            (IFS='|'; echo "${COMPREPLY[*]}")
            """

        let output = try program.bash(script)

        #expect(output == words + "\n")
    }

    @Test(arguments: CompletionsCommand.Shell.allCases)
    func `completions name every command and setting`(shell: CompletionsCommand.Shell) throws {
        let outcome = try Program().run("completions \(shell.rawValue)")

        #expect(outcome.output == CompletionsCommand.text(for: shell))
        for word in Commands.descriptions.flatMap(\.words) {
            #expect(outcome.output.contains(word))
        }
        for setting in Setting.all {
            let flag = shell == .fish ? "-l \(setting.flag.dropFirst(2)) " : setting.flag
            #expect(outcome.output.contains(flag))
        }
    }

    @Test func `completions need a shell that is known`() throws {
        let outcome = try Program().run("completions tcsh")

        #expect(
            outcome
                == Program.Outcome(
                    status: 64,
                    error: "humon: \"tcsh\" is not a shell with completions. Name bash, zsh or "
                        + "fish.\n"
                )
        )
    }
}

/// The settings file of the package.
@Suite struct SystemSettingsTests {
    private let program: Program
    private var context = CommandContext()

    init() throws {
        program = try Program()
        try program.write("PORT=4711\n", to: "system.env")
        context.usualSettingsFiles = [program.path(".env"), program.path("system.env")]
    }

    @Test func `is read if there is no .env in the working directory`() throws {
        #expect(try context.settings().configuration.port == 4711)
        #expect(context.settingsPath == program.path("system.env"))
    }

    @Test func `is not read if there is one in the working directory`() throws {
        try program.write("PORT=4713\n", to: ".env")

        #expect(try context.settings().configuration.port == 4713)
        #expect(context.settingsPath == program.path(".env"))
    }

    @Test func `is not read if another file is named`() throws {
        var context = context
        try program.write("PORT=4712\n", to: "own.env")
        context.settingsFile = program.path("own.env")

        #expect(try context.settings().configuration.port == 4712)
        #expect(context.settingsPath == program.path("own.env"))
    }

    @Test func `need not exist`() throws {
        var context = context
        context.usualSettingsFiles = [program.path("missing.env")]

        #expect(try context.settings().configuration.port == 3000)
        #expect(context.settingsPath == ".env")
    }

    @Test func `is not ignored if it can't be read`() throws {
        var context = context
        context.usualSettingsFiles = [program.path("link"), program.path("system.env")]
        try FileManager.default.createSymbolicLink(
            atPath: program.path("link"),
            withDestinationPath: "missing"
        )

        #expect(
            throws: SettingError.unreadableFile(
                path: program.path("link"),
                reason: "it is a link to a missing file"
            )
        ) { try context.configuration() }
        context.usualSettingsFiles = [program.folder]
        #expect(
            throws: SettingError.unreadableFile(path: program.folder, reason: "it is a directory")
        ) { try context.configuration() }
    }

    @Test(.enabled(if: geteuid() != 0, "the superuser may read every file"))
    func `says who may read it`() throws {
        var context = context
        #expect(unsafe chmod(program.folder, 0) == 0)
        defer { unsafe chmod(program.folder, 0o700) }
        context.usualSettingsFiles = [program.path("system.env")]

        #expect {
            try context.configuration()
        } throws: { error in
            Failure(error).message.hasSuffix("run this as the server's user, with `sudo -u humon`.")
        }
    }
}

extension Program {
    /// Runs a script in the program's folder, and returns what it printed.
    func bash(_ script: String) throws -> String {
        let process = Process()
        let pipe = Pipe()
        process.executableURL = URL(fileURLWithPath: "/bin/bash")
        process.arguments = ["-c", script]
        process.currentDirectoryURL = URL(fileURLWithPath: folder)
        process.standardOutput = pipe
        try process.run()
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return String(decoding: data, as: UTF8.self)
    }
}
