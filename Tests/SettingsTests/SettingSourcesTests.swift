import Logging
import Support
import Testing

@testable import Settings

@Suite struct SettingSourcesTests {
    @Test func `prefers flags to the environment and that to the file`() throws {
        let sources = SettingSources(
            flags: ["PORT": "1"],
            environment: ["PORT": "2", "WORKERS": "2"],
            file: try DotEnvFile(path: ".env", text: "PORT=3\nWORKERS=3\nLOG_LEVEL=error\n")
        )

        let resolved = try sources.resolve(over: defaults)

        var expected = ResolvedConfiguration(defaults)
        expected.configuration.port = 1
        expected.configuration.workers = 2
        expected.configuration.logLevel = .error
        expected.origins = [
            "PORT": .flag("--port"), "WORKERS": .environment,
            "LOG_LEVEL": .file(path: ".env", line: 3),
        ]
        #expect(resolved == expected)
    }

    @Test func `takes an empty value as not set`() throws {
        let sources = SettingSources(
            flags: ["PORT": ""],
            environment: ["PORT": "", "WORKERS": "", "TB_APP_SECRET_FILE": ""],
            file: try DotEnvFile(path: ".env", text: "PORT=3\nWORKERS=\nTB_APP_SECRET=s")
        )

        let resolved = try sources.resolve(over: defaults)

        #expect(resolved.configuration.port == 3)
        #expect(resolved.configuration.workers == 4)
        #expect(resolved.configuration.appSecrets == ["s"])
        #expect(resolved.origins["WORKERS"] == nil)
    }

    @Test func `reads a secret from a file without the ends of its lines`() throws {
        let file = try TemporaryFile("one,two \r\n\n")
        let sources = SettingSources(environment: ["TB_APP_SECRET_FILE": file.path])

        let resolved = try sources.resolve(over: defaults)

        #expect(resolved.configuration.appSecrets == ["one", "two"])
        #expect(
            resolved.origins["TB_APP_SECRET"]?.description
                == "\(file.path), from TB_APP_SECRET_FILE (environment)"
        )
    }

    @Test func `refuses a secret that is given itself and by a file`() throws {
        let sources = SettingSources(
            flags: ["TB_APP_SECRET_FILE": "/nowhere"],
            file: try DotEnvFile(path: ".env", text: "\nTB_APP_SECRET=s")
        )

        let error = #expect(throws: SettingError.self) { try sources.resolve(over: defaults) }

        #expect(
            error?.message == """
                Both TB_APP_SECRET (.env, line 2) and TB_APP_SECRET_FILE (--tb-app-secret-file) \
                are set. Remove one of them.
                """
        )
    }

    @Test func `says which file of a secret can't be read`() {
        let sources = SettingSources(environment: ["TB_APP_SECRET_FILE": "/nowhere/secret"])

        let error = #expect(throws: SettingError.self) { try sources.resolve(over: defaults) }

        #expect(
            error?.message == """
                The file "/nowhere/secret" of TB_APP_SECRET_FILE can't be read: \
                No such file or directory.
                """
        )
    }

    @Test func `refuses an empty file of a secret`() throws {
        let file = try TemporaryFile("\n")
        let sources = SettingSources(environment: ["TB_APP_SECRET_FILE": file.path])

        #expect(throws: SettingError.self) { try sources.resolve(over: defaults) }
    }

    @Test(
        arguments: [
            ("PROT", "; did you mean \"PORT\"?"), ("port", "; did you mean \"PORT\"?"),
            ("TB_APP_SECRETS_FILE", "; did you mean \"TB_APP_SECRET_FILE\"?"),
            ("PORT_FILE", "."), ("COLOUR", "."),
        ]
    )
    func `refuses an unknown name in the file`(name: String, hint: String) throws {
        let sources = SettingSources(
            file: try DotEnvFile(path: "x.env", text: "\n\(name)=1")
        )

        let error = #expect(throws: SettingError.self) { try sources.resolve(over: defaults) }

        #expect(error?.message == "x.env, line 2: \"\(name)\" is not a setting\(hint)")
    }

    @Test func `ignores what else is in the environment`() throws {
        let sources = SettingSources(environment: ["PROT": "1", "PORT_FILE": "x"])

        #expect(try sources.resolve(over: defaults) == ResolvedConfiguration(defaults))
    }

    @Test func `reads only settings from the environment of the process`() {
        let names = SettingSources.processEnvironment().keys

        #expect(names.allSatisfy { Setting.named($0) != nil })
    }

    private let defaults = Configuration(coreCount: 4, isTerminal: false)
}
