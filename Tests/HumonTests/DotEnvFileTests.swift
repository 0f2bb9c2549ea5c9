import Foundation
import Humon
import Testing

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
            ("PORT", "a setting is written NAME=value"),
            ("=1", "a setting is written NAME=value"),
            ("PO RT=1", "a setting is written NAME=value"),
            ("PO-RT=1", "a setting is written NAME=value"),
            ("PORT='1", "the quote ' is not closed"),
            ("PORT=\"1\\\"", "the quote \" is not closed"),
            ("PORT='1'2", "there is text after the closing quote"),
            (#"PORT="\x""#, #"after \ only n, r, t, ", \ or $ may stand"#),
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

    @Test func `refuses a secret in a pipe or on a terminal`() throws {
        let pipe = try TemporaryFile(pipeWithSuffix: ".secret")
        for path in [pipe.path, "/dev/ptmx", "/dev/zero"] {
            let sources = SettingSources(environment: ["TB_APP_SECRET_FILE": path])

            #expect(
                throws: SettingError.unreadableSecret(
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
