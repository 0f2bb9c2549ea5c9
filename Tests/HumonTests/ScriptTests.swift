import Foundation
import Support
import Testing

/// `bin/server` and `bin/test`, with a compiler that only pretends to build.
@Suite struct ScriptTests {
    /// A compiler that prints as much as the real one; `$OUTPUT` and `$STATUS` are those of the
    /// tests, `$SPECS` is the output of request specs that fail, and it refuses what `$REFUSED` is
    /// a part of.
    private static let compiler = """
        #!/bin/bash
        [[ $1 == --version ]] && { echo 'Swift version 6.2 (pretended)'; exit; }
        [[ $* == *--show-bin-path ]] && { echo "$PWD/.build/release"; exit; }
        echo "swift $*${HUMON_TEST_POSTGRESQL:+ without PostgreSQL}" >>calls
        if [[ $* == *--package-path* ]]; then
            echo "$HUMON_PROGRAM" >program
            if [[ $SPECS ]]; then cat "$SPECS"; exit 1; fi
            exit
        fi
        if [[ $1 == test ]]; then cat "$OUTPUT"; exit "$STATUS"; fi
        for step in {1..500}; do echo "[$step/500] Compiling Module$step"; done
        if [[ $REFUSED && $* == *"$REFUSED"* ]]; then echo 'error: refused'; exit 1; fi
        mkdir -p .build/release && ln -sf "$PROGRAM" .build/release/humon
        """

    @Test func `bin/server says what it does, and where to look`() throws {
        let program = try Self.checkout()
        let (process, output) = try Self.start("bin/server --port 0 --admin-port off", in: program)
        defer { if process.isRunning { process.terminate() } }
        var text = ""
        while !text.contains(#""message":"listening""#) {
            let data = output.fileHandleForReading.availableData
            try #require(!data.isEmpty, "\(text)")
            text += String(decoding: data, as: UTF8.self)
        }
        process.terminate()
        process.waitUntilExit()

        #expect(process.terminationStatus == 0)
        let parts = [
            "Created .env with a new TB_APP_SECRET.\n", "The first build takes several minutes;",
            "Building Humon\n", "Building Humon: done after 0:0",
            "\nWhen the log says \"listening\", try this in another terminal:\n", "\nsecret='",
            "\n#   http://127.0.0.1:0/ ", "\n#   http://127.0.0.1:0/docs ",
            "\n.build/release/humon seed --port 0 --admin-port off\n", #""message":"listening""#,
        ]
        var rest = text[...]
        for part in parts {
            let range = try #require(rest.range(of: part), "\(part) is missing in \(text)")
            rest = rest[range.upperBound...]
        }
        #expect(!text.contains("Module1"))
    }

    @Test func `bin/server promises no long build where there was one, and shows why it fails`()
        throws
    {
        let program = try Self.checkout()
        try FileManager.default.createDirectory(
            atPath: program.path(".build/release"),
            withIntermediateDirectories: true
        )
        try program.write("", to: ".build/release/humon")
        try Self.makeExecutable(program.path(".build/release/humon"))

        let (status, text) = try Self.run("bin/server", in: program, ["REFUSED": "build"])

        #expect(status == 1)
        #expect(!text.contains("The first build"))
        #expect(text.contains("\n[500/500] Compiling Module500\nerror: refused\n"))
    }

    @Test func `bin/test prints little where all is well, and the runner's last line at the end`()
        throws
    {
        let program = try Self.checkout()
        let closing = "✔ Test run with 2 tests in 1 suite passed after 1.000 seconds."
        try program.write(
            String(repeating: "◇ Test \"a\" started.\n✔ Test \"a\" passed.\n", count: 10_000)
                + "➜ Test \"b\" skipped: \"a reason\"\n➜ Suite C skipped: \"a reason\"\n"
                + "➜ Test \"d\" skipped.\n" + closing + "\n",
            to: "tests"
        )

        let (status, text) = try Self.run("bin/test", in: program)

        #expect(status == 0)
        #expect(text.utf8.count < 1000)
        #expect(
            text.hasSuffix(
                """

                SKIPPED: 1 suites and tests: no reason given
                SKIPPED: 2 suites and tests: a reason
                \(closing)

                """
            )
        )
        #expect(try program.read(".build/test.log").hasSuffix("\(closing)\n"))
        #expect(
            try program.read("calls") == """
                swift build --build-tests without PostgreSQL
                swift test --skip-build without PostgreSQL

                """
        )
    }

    @Test func `bin/test --all also runs what takes long`() throws {
        let program = try Self.checkout()
        let closing = "✔ Test run with 2 tests in 1 suite passed after 1.000 seconds."
        try program.write(closing + "\n", to: "tests")

        let (status, text) = try Self.run("bin/test --all", in: program)

        #expect(status == 0)
        let skipped = [
            "a module", "a fault", "a page", "a host", "an alert", "a client", "a backend",
            "a package",
        ].map { "SKIPPED: \($0)\n" }.joined()
        #expect(text.hasSuffix("\n\(skipped)\(closing)\n"))
        let calls = try program.read("calls").split(separator: "\n")
        let specs = "swift test --skip-build --filter RequestSpecs"
        #expect(
            calls.filter { $0 != specs } == [
                "swift build --build-tests", "swift build --check", "swift test --skip-build",
                "swift test --disable-swift-testing --package-path Examples/RequestSpecs",
                "swift build -c release", "swift client",
            ]
        )
        #expect(
            calls.contains { $0 == specs }
                != text.contains("SKIPPED: the request specs on PostgreSQL.")
        )
    }

    @Test func `bin/test rejects a choice of everything`() throws {
        let program = try Self.checkout()

        let (status, text) = try Self.run("bin/test --all --filter a", in: program)

        #expect(status == 1)
        #expect(text == "Use --all without other arguments.\n")
    }

    @Test func `bin/test repeats what failed at the end`() throws {
        let program = try Self.checkout()
        let failure = """
            ✘ Test "a" recorded an issue at A.swift:1:2: Expectation failed: ("one
            two") == "three"
            ↳ a comment

            """
        let end = """
            ✘ Test "a" failed after 1.000 seconds with 1 issue.
            ✘ Test run with 2 tests in 1 suite failed after 1.000 seconds with 1 issue.

            """
        try program.write(
            "◇ Test run started.\n◇ Test \"a\" started.\n" + failure
                + String(repeating: "✔ Test \"b\" passed.\n↳ something\n", count: 1000) + end,
            to: "tests"
        )

        let (status, text) = try Self.run("bin/test --filter a", in: program, ["STATUS": "1"])

        #expect(status == 1)
        #expect(
            text.hasSuffix(
                "\n\(failure)\(end)The whole output is in .build/test.log.\n"
                    + end.split(separator: "\n").suffix(1).joined() + "\n"
            )
        )
        #expect(!text.contains("✔"))
        #expect(
            try program.read("calls") == """
                swift build --build-tests
                swift test --skip-build --filter a

                """
        )
    }

    @Test func `bin/test shows the end of a run that crashed`() throws {
        let program = try Self.checkout()
        try program.write("◇ Test \"a\" started.\nFatal error: here\n", to: "tests")

        let (status, text) = try Self.run("bin/test", in: program, ["STATUS": "1"])

        #expect(status == 1)
        #expect(text.contains("\n◇ Test \"a\" started.\nFatal error: here\n"))
        #expect(text.hasSuffix("\nThe tests did not finish.\n"))
    }

    @Test func `bin/test repeats which request specs of Examples failed`() throws {
        let program = try Self.checkout()
        try program.write("✔ Test run with 1 test passed.\n", to: "tests")
        let failure = """
            /a/ShowSpec.swift:9: error: ShowSpec.testA : XCTAssertEqual failed: ("200 {}
            ") is not equal to ("404 {}")

            """
        let closing = "Executed 2 tests, with 1 failure (0 unexpected) in 0.1 (0.1) seconds"
        try program.write(
            "[3/3] Compiling\nTest Case 'ShowSpec.testA' started at 1\n" + failure
                + "Test Case 'ShowSpec.testA' failed (0.1 seconds)\n\t \(closing)\n",
            to: "specs"
        )

        let (status, text) = try Self.run("bin/test --all", in: program, ["SPECS": "specs"])

        #expect(status == 1)
        #expect(text.contains("\nRunning the request specs of Examples: failed with status 1 "))
        #expect(
            text.hasSuffix(
                "\n\(failure)The whole output is in .build/examples.log.\n\(closing)\n"
            )
        )
        #expect(try program.read("program") == program.path(".build/debug/humon") + "\n")
    }

    @Test func `bin/test shows why the request specs of Examples did not run`() throws {
        let program = try Self.checkout()
        try program.write("✔ Test run with 1 test passed.\n", to: "tests")
        try program.write("error: no such module\n", to: "specs")

        let (status, text) = try Self.run("bin/test --all", in: program, ["SPECS": "specs"])

        #expect(status == 1)
        #expect(
            text.hasSuffix(
                "\nerror: no such module\nThe whole output is in .build/examples.log.\n"
            )
        )
    }

    @Test func `bin/test fails where only the optimised build does`() throws {
        let program = try Self.checkout()
        try program.write("✔ Test run with 1 test passed.\n", to: "tests")

        let (status, text) = try Self.run("bin/test --all", in: program, ["REFUSED": "release"])

        #expect(status == 1)
        #expect(text.contains("\nBuilding for release: failed with status 1 after 0:0"))
        #expect(text.hasSuffix("\nerror: refused\n"))
    }

    /// A folder with the scripts, and with programs in `tools` for what they call.
    private static func checkout() throws -> Program {
        let program = try Program()
        let root = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        for name in ["bin", ".env.example"] {
            try FileManager.default.copyItem(
                atPath: root.appendingPathComponent(name).path,
                toPath: program.path(name)
            )
        }
        for folder in [
            "tools", "Tests/Browser", "Tests/Client", "Tests/Deploy", "Tests/Faults", "Tests/Fuzz",
            "Tests/Generators", "Tests/JavaScript", "Tests/Load", "Tests/Monitoring",
            "Tests/MovingIn", "Tests/Outbox", "Tests/Packages", "Tests/Sync", "Tests/Webhooks",
        ] {
            try FileManager.default.createDirectory(
                atPath: program.path(folder),
                withIntermediateDirectories: true
            )
        }
        let tools = [
            "tools/swift": compiler, "tools/pkg-config": "#!/bin/bash\n",
            "tools/strace": "#!/bin/bash\n", "tools/shellcheck": "#!/bin/bash\n",
            "tools/dpkg-shlibdeps": "#!/bin/bash\n",
            "Tests/Fuzz/run": "#!/bin/bash\nswift build $*\n",
            "bin/package": "#!/bin/bash\nswift build -c release\n",
            "Tests/Webhooks/run": "#!/bin/bash\n", "Tests/Sync/model": "#!/bin/bash\n",
            "Tests/Sync/outbox": "#!/bin/bash\n", "Tests/Outbox/run": "#!/bin/bash\n",
            "Tests/JavaScript/run": "#!/bin/bash\necho 'SKIPPED: a module'\n",
            "Tests/Faults/short": "#!/bin/bash\necho 'Tests/Faults/a'\necho 'SKIPPED: a fault'\n",
            "Tests/Load/stalled": "#!/bin/bash\necho 'ok a'\n",
            "Tests/Load/growth": "#!/bin/bash\necho 'ok a'\n",
            "Tests/Browser/run": "#!/bin/bash\necho 'ok a'\necho 'SKIPPED: a page'\n",
            "Tests/Deploy/run": "#!/bin/bash\necho 'SKIPPED: a host'\n",
            "Tests/Monitoring/run": "#!/bin/bash\necho 'SKIPPED: an alert'\n",
            "Tests/Generators/run": "#!/bin/bash\necho 'SKIPPED: a client'\n",
            "Tests/MovingIn/run": "#!/bin/bash\necho 'SKIPPED: a backend'\n",
            "Tests/Client/run": "#!/bin/bash\nswift client $*\n",
            "Tests/Packages/short": "#!/bin/bash\necho 'ok a'\necho 'SKIPPED: a package'\n",
        ]
        for (name, script) in tools {
            try program.write(script, to: name)
            try makeExecutable(program.path(name))
        }
        return program
    }

    private static func makeExecutable(_ path: String) throws {
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
    }

    private static func start(
        _ line: String,
        in program: Program,
        _ settings: [String: String] = [:]
    ) throws -> (Process, Pipe) {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/bin/bash")
        process.arguments = line.split(separator: " ").map(String.init)
        process.currentDirectoryURL = URL(fileURLWithPath: program.folder)
        let own = [
            "PATH": program.path("tools") + ":/usr/bin:/bin", "OUTPUT": "tests", "STATUS": "0",
            "REFUSED": "", "SPECS": "", "PROGRAM": try Program.executable.path,
            "LOG_FORMAT": "json", "HUMON_TEST_POSTGRESQL": "",
        ]
        process.environment = Sanitizers.environment(with: own.merging(settings) { $1 })
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = output
        try process.run()
        return (process, output)
    }

    /// The status and all that is printed.
    private static func run(
        _ line: String,
        in program: Program,
        _ settings: [String: String] = [:]
    ) throws -> (Int32, String) {
        let (process, output) = try start(line, in: program, settings)
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: data, as: UTF8.self))
    }
}
