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

    @Test func `names the settings that have no effect any more`() throws {
        let name = "LIMIT_SEARCH_ROWS"
        let file = try DotEnvFile(path: ".env", text: "\(name)=1\n")

        #expect(try SettingSources(file: file).resolve(over: defaults).formerNames == [name])
        for sources in [
            SettingSources(flags: [name: "x"]), SettingSources(environment: [name: "1"]),
        ] {
            let resolved = try sources.resolve(over: defaults)
            #expect(resolved.formerNames == [name])
            #expect(resolved.configuration == defaults)
        }
        #expect(
            try SettingSources(environment: ["PORT": "1"]).resolve(over: defaults)
                .formerNames == []
        )
    }

    @Test(
        arguments: [
            (
                "ADMIN_PORT", "tcp://10.0.0.1:3001",
                "Kubernetes sets it for a service named admin; "
                    + "set enableServiceLinks: false in the pod's specification"
            ),
            (
                "HOST", "x86_64-conda-linux-gnu",
                "conda sets it to the platform of its compilers; "
                    + "unset HOST, or use --host 127.0.0.1"
            ),
            (
                "HOST", "arm64-apple-darwin20.0.0",
                "conda sets it to the platform of its compilers; "
                    + "unset HOST, or use --host 127.0.0.1"
            ),
        ]
    )
    func `ignores what other programs set in the environment`(
        name: String,
        value: String,
        advice: String
    ) throws {
        let resolved = try SettingSources(environment: [name: value, "PORT": "4000"])
            .resolve(over: defaults)

        var expected = ResolvedConfiguration(defaults)
        expected.configuration.port = 4000
        expected.origins = ["PORT": .environment]
        let strays = resolved.strayValues.map { [$0.name, $0.value, $0.advice] }
        #expect(strays == [[name, value, advice]])
        expected.strayValues = resolved.strayValues
        #expect(resolved == expected)
        #expect(throws: SettingError.self) {
            try SettingSources(flags: [name: value]).resolve(over: defaults)
        }
        #expect(throws: SettingError.self) {
            try SettingSources(file: DotEnvFile(path: ".env", text: "\(name)=\(value)"))
                .resolve(over: defaults)
        }
    }

    @Test func `says how to go on without a HOST of the shell`() {
        let error = #expect(throws: SettingError.self) {
            try SettingSources(environment: ["HOST": "my-laptop.local"]).resolve(over: defaults)
        }

        #expect(
            error?.message == """
                HOST is "my-laptop.local" (environment), but must be an IPv4 or IPv6 address, or \
                localhost. Shells set HOST, too. Unset it, or use --host 127.0.0.1.
                """
        )
    }

    @Test func `reads only the named settings, and those of flags`() throws {
        let sources = SettingSources(
            flags: ["PORT": "4000"],
            environment: ["HOST": "my-laptop.local", "TB_APP_SECRET_FILE": "/nowhere"],
            file: try DotEnvFile(path: ".env", text: "RATE_LIMIT=x\nWORKERS=3")
        )

        let resolved = try sources.resolve(over: defaults, only: Setting.namesOfDatabase)

        var expected = ResolvedConfiguration(defaults)
        expected.configuration.port = 4000
        expected.configuration.workers = 3
        expected.origins = ["PORT": .flag("--port"), "WORKERS": .file(path: ".env", line: 2)]
        #expect(resolved == expected)
        #expect(Setting.namesOfDatabase.isSubset(of: Setting.all.map(\.name)))
        #expect(throws: SettingError.self) {
            try SettingSources(flags: ["HOST": "x"])
                .resolve(over: defaults, only: Setting.namesOfDatabase)
        }
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
