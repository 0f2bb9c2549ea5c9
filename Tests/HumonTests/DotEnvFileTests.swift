import Foundation
import Glibc
import Humon
import Support
import Testing

@testable import Settings

@Suite struct DotEnvFileTests {
    @Test(
        arguments: [
            ("PORT=1", "1"),
            ("  PORT  =  1  ", "1"),
            ("export PORT=1", "1"),
            ("export\u{20}\u{20}PORT=1", "1"),
            ("PORT=", ""),
            ("PORT=   # nothing", ""),
            ("PORT=a b # comment", "a b"),
            ("PORT=a#b", "a#b"),
            ("PORT=#a", ""),
            ("PORT=a=b", "a=b"),
            ("PORT='a # \\n \"b'", "a # \\n \"b"),
            (#"PORT="a\n\t\r\"\\\$#' b" # comment"#, "a\n\t\r\"\\$#' b"),
            ("PORT=''", ""),
            ("PORT=ä", "ä"),
            ("PORT=1\r", "1"),
            ("\tPORT=1", "1"),
        ]
    )
    func `reads a value`(line: String, value: String) throws {
        let file = try DotEnvFile(path: ".env", text: line + "\n")

        #expect(file.entries == [.init(name: "PORT", value: value, line: 1)])
    }

    @Test func `skips blank lines and comments and counts them`() throws {
        let file = try DotEnvFile(path: "p", text: "# one\n\n  \r\n #x\nexport=1\r\n\r\nA_1=b")

        #expect(file.path == "p")
        #expect(
            file.entries == [
                .init(name: "export", value: "1", line: 5),
                .init(name: "A_1", value: "b", line: 7),
            ]
        )
    }

    @Test(
        arguments: [
            ("PORT", "a setting must look like NAME=value"),
            ("=1", "a setting must look like NAME=value"),
            ("PO RT=1", "a setting must look like NAME=value"),
            ("PO-RT=1", "a setting must look like NAME=value"),
            ("PORT='1", "the closing quote ' is missing"),
            ("PORT=\"1\\\"", "the closing quote \" is missing"),
            ("PORT='1'2", "there is text after the closing quote"),
            (#"PORT="\x""#, #"after \ only n, r, t, ", \ or $ is allowed"#),
            ("HOST=a", "HOST is already set in line 1"),
        ]
    )
    func `refuses a malformed line and says which`(line: String, reason: String) {
        #expect(throws: SettingError.malformedLine(path: ".env", line: 3, reason: reason)) {
            try DotEnvFile(path: ".env", text: "HOST=::\n\n\(line)\n")
        }
    }

    @Test func `is nothing where no file is required`() throws {
        #expect(try DotEnvFile.read(at: "/nowhere/.env", isRequired: false) == nil)
    }

    @Test func `fails where a named file is missing`() {
        let reason = "No such file or directory"
        #expect(throws: SettingError.unreadableFile(path: "/nowhere/.env", reason: reason)) {
            try DotEnvFile.read(at: "/nowhere/.env", isRequired: true)
        }
    }

    @Test func `fails on a directory even where none is required`() {
        let reason = "it is a directory"
        #expect(throws: SettingError.unreadableFile(path: "/", reason: reason)) {
            try DotEnvFile.read(at: "/", isRequired: false)
        }
    }

    @Test func `reads a file that begins with a byte order mark`() throws {
        let temporary = try TemporaryFile([0xEF, 0xBB, 0xBF] + Array("PORT=5\n".utf8))

        let file = try DotEnvFile.read(at: temporary.path, isRequired: true)

        #expect(file?.entries == [.init(name: "PORT", value: "5", line: 1)])
    }

    @Test func `refuses bytes that are not UTF-8`() throws {
        let temporary = try TemporaryFile([0x41, 0x3D, 0xFF])
        let reason = "it is not UTF-8 text"

        #expect(throws: SettingError.unreadableFile(path: temporary.path, reason: reason)) {
            try DotEnvFile.read(at: temporary.path, isRequired: true)
        }
    }

    @Test func `refuses more than 64 KiB`() throws {
        let temporary = try TemporaryFile(repeatElement(UInt8(ascii: "#"), count: 65_537))
        let reason = "it is larger than 65536 bytes"

        #expect(throws: SettingError.unreadableFile(path: temporary.path, reason: reason)) {
            try DotEnvFile.read(at: temporary.path, isRequired: true)
        }
    }

    @Test func `refuses a pipe, which might never end`() throws {
        let pipe = try TemporaryFile(pipeWithSuffix: ".env")

        #expect(
            throws: SettingError.unreadableFile(
                path: pipe.path,
                reason: "it is not a regular file"
            )
        ) {
            try DotEnvFile.read(at: pipe.path, isRequired: false)
        }
    }

    @Test func `does not wait for ever for a pipe that was named`() throws {
        let pipe = try TemporaryFile(pipeWithSuffix: ".env")

        for isWritten in [false, true] {
            let writer = isWritten ? unsafe open(pipe.path, O_RDWR | O_CLOEXEC) : -1
            defer { if isWritten { close(writer) } }
            if isWritten { #expect(unsafe write(writer, "PORT=1", 6) == 6) }

            #expect(
                throws: SettingError.unreadableFile(
                    path: pipe.path,
                    reason: "it is a pipe that did not end within 1 ms"
                )
            ) {
                try DotEnvFile.read(at: pipe.path, isRequired: true, patience: 1)
            }
        }
    }

    /// Runs a line of bash in which `humon` is the program.
    private func bash(_ line: String) throws -> Program.Outcome {
        let program = try Program()
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/bash")
        process.arguments = ["-c", "humon() { '\(try Program.executable.path)' \"$@\"; }; " + line]
        process.currentDirectoryURL = URL(fileURLWithPath: program.folder)
        process.environment = Sanitizers.environment(with: ["PATH": "/usr/bin:/bin"])
        for name in ["out.log", "error.log"] { try program.write("", to: name) }
        process.standardOutput = FileHandle(forWritingAtPath: program.path("out.log"))
        process.standardError = FileHandle(forWritingAtPath: program.path("error.log"))
        try process.run()
        process.waitUntilExit()
        return Program.Outcome(
            status: process.terminationStatus,
            output: try program.read("out.log"),
            error: try program.read("error.log")
        )
    }

    /// So that secrets need not lie on a disk.
    @Test(
        arguments: [
            "humon config --env-file <(printf 'PORT=4001\n')",
            "humon config --env-file /dev/stdin < <(printf 'PO'; printf 'RT=4001')",
            "mkfifo a; printf 'PORT=4001\n' >a & humon config --env-file a; s=$?; wait; exit $s",
        ]
    )
    func `reads a pipe that was named`(line: String) throws {
        let outcome = try bash(line)

        #expect(outcome.status == 0)
        #expect(outcome.error == "")
        #expect(outcome.output.contains(/\nPORT +4001 +.*, line 1\n/), "\(outcome.output)")
    }

    @Test func `reads no more than 64 KiB of a pipe`() throws {
        let outcome = try bash("humon config --env-file /dev/stdin < <(yes '# no end' 2>/dev/null)")

        #expect(
            outcome
                == .init(
                    status: 78,
                    error: """
                        humon: The settings file "/dev/stdin" can't be read: it is larger than \
                        65536 bytes.

                        """
                )
        )
    }

    @Test func `refuses a pipe that has the name of the default file`() throws {
        let outcome = try bash("mkfifo .env; humon config")

        #expect(outcome.status == 78)
        #expect(outcome.error.contains("\".env\" can't be read: it is not a regular file"))
    }

    @Test func `refuses a secret in a pipe or on a terminal`() throws {
        let pipe = try TemporaryFile(pipeWithSuffix: ".secret")
        for path in [pipe.path, "/dev/ptmx", "/dev/zero"] {
            let sources = SettingSources(environment: ["TB_APP_SECRET_FILE": path])

            #expect(
                throws: SettingError.unreadableNamedFile(
                    name: "TB_APP_SECRET_FILE",
                    path: path,
                    reason: "it is not a regular file"
                )
            ) {
                try sources.resolve(over: Configuration(coreCount: 1, isTerminal: true))
            }
        }
    }

    @Test func `takes /dev/null for an empty file`() throws {
        let link = NSTemporaryDirectory() + "humon-\(UUID().uuidString).env"
        try FileManager.default.createSymbolicLink(
            atPath: link,
            withDestinationPath: "/dev/null"
        )
        defer { try? FileManager.default.removeItem(atPath: link) }

        for path in ["/dev/null", link] {
            #expect(try DotEnvFile.read(at: path, isRequired: true)?.entries == [])
        }
    }
}
