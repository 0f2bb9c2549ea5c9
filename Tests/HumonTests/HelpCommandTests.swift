import Testing

@testable import Humon
@testable import Settings

@Suite struct HelpCommandTests {
    @Test func `lists every command`() {
        let text = HelpCommand(topic: nil).text

        for name in [
            "serve", "migrate", "routes", "import FILE", "export [FILE]", "seed",
            "backup FILE", "restore FILE", "doctor", "test-server",
            "token revoke USER_ID", "words TEXT", "account list", "account reset-password EMAIL",
            "account sign-out EMAIL", "config", "settings", "examples", "version",
            "help [COMMAND]",
        ] {
            #expect(text.contains("  humon \(name)  "))
        }
    }

    @Test func `explains a command with its flags`() {
        #expect(
            HelpCommand(topic: "migrate").text == """
                Apply pending migrations.

                Usage: humon migrate [FLAGS]

                Flags:
                  --status         Only list the migrations.
                  --SETTING VALUE  Set a setting, for example --port 8080.
                  --env-file PATH  Read settings from this file instead of .env.
                  --help           Explain the command.
                """
        )
    }

    @Test func `explains all commands that begin with a word`() {
        let texts = [
            "account list", "account reset-password", "account sign-out", "account delete",
        ].map { HelpCommand(topic: $0).text }

        #expect(HelpCommand(topic: "account").text == texts.joined(separator: "\n\n"))
        #expect(HelpCommand(topic: "token").text == HelpCommand(topic: "token revoke").text)
    }

    @Test func `explains every setting`() {
        let text = HelpCommand(topic: "settings").text

        for setting in Setting.all {
            #expect(
                text.contains(
                    "\(setting.name)  (\(setting.flag))\n  \(setting.summary.prefix(40))"
                )
            )
            #expect(text.contains("  Allowed: \(setting.allowed).\n"))
        }
    }

    @Test func `keeps to 100 columns`() {
        for topic in [nil, "import", "settings"] {
            let lines = HelpCommand(topic: topic).text.split(separator: "\n")
            #expect(lines.allSatisfy { $0.count <= 100 })
        }
    }
}

@Suite struct ConfigCommandTests {
    @Test func `shows each setting and its origin, and of secrets only their number`() throws {
        let sources = SettingSources(
            flags: ["TB_APP_SECRET": "hunter2,hunter3"],
            environment: ["PORT": "8080"]
        )
        let resolved = try sources.resolve(over: Configuration(coreCount: 2, isTerminal: false))

        let text = ConfigCommand.text(of: resolved)

        let lines = text.split(separator: "\n").map { $0.split(separator: " ") }
        #expect(lines.map { $0.first.map(String.init) } == Setting.all.map(\.name))
        #expect(lines.contains(["PORT", "8080", "environment"]))
        #expect(lines.contains(["TB_APP_SECRET", "2", "secrets", "--tb-app-secret"]))
        #expect(lines.contains(["WORKERS", "2", "default"]))
        #expect(!text.contains("hunter"))
    }
}
