import Foundation
import Support
import Testing

/// The commands of the documentation, pasted one after another into a shell beside a server.
@Suite struct PastedCommandsTests {
    /// The files, and how many blocks of commands each has.
    private static let files = [
        ("README.md", 1), ("docs/api/humon.md", 30), ("docs/api/find-events.md", 18),
        ("docs/api/todo.md", 3), ("docs/api/mytasks.md", 1), ("docs/api/twosquare.md", 1),
        ("docs/api/changes.md", 7), ("docs/llms.txt", 1), ("docs/clients.md", 1),
    ]

    /// Lines for a shell, and what the file says that they print.
    private struct Block {
        var commands = ""
        var output: [String] = []
    }

    @Test(arguments: files)
    func `print what the file says on an empty database`(file: String, count: Int) throws {
        let server = try Self.server(in: try Program())
        defer { server.stop() }
        let blocks = try Self.blocks(of: file, count: count)

        let outputs = try Self.paste(blocks, beside: server)

        try #require(outputs.count == blocks.count)
        for (block, output) in zip(blocks, outputs) {
            #expect(
                Self.masked(output) == Self.masked(block.output.joined(separator: "\n")),
                "\(block.commands)"
            )
        }
    }

    @Test(arguments: files)
    func `work on a database with demo records`(file: String, count: Int) throws {
        let program = try Program()
        let seed = try program.run("seed")
        try #require(seed.status == 0, "\(seed.error)")
        let server = try Self.server(in: program)
        defer { server.stop() }
        let blocks = try Self.blocks(of: file, count: count)

        let outputs = try Self.paste(blocks, beside: server)

        try #require(outputs.count == blocks.count)
        for (block, output) in zip(blocks, outputs) {
            // A list has more in it than the file says.
            let output = Self.withoutCursors(output)
            for line in block.output where !line.hasPrefix("[\"") {
                let part = Self.masked(Self.withoutCursors(line))
                    .trimmingCharacters(in: ["[", "]"])
                #expect(Self.masked(output).contains(part), "\(block.commands)")
            }
            #expect(!output.contains(#""message""#) && !output.contains(#""error""#))
            #expect(output.isEmpty == block.output.isEmpty, "\(block.commands)")
        }
    }

    /// A server in a folder with a `.env` such as `bin/server` makes.
    private static func server(in program: Program) throws -> Program.Server {
        try program.write("# Made for a test.\nTB_APP_SECRET=0123456789abcdef\n", to: ".env")
        return try Program.Server(in: program, settings: ["TB_APP_SECRET": ""])
    }

    /// What each of the blocks prints in one shell.
    private static func paste(_ blocks: [Block], beside server: Program.Server) throws -> [String] {
        let mark = "--- the next block ---\n"
        let names = "url=http://127.0.0.1:\(server.port) secret=0123456789abcdef\n"
        let script = (names + blocks.map { "printf '%s' '\(mark)'\n\($0.commands)\n" }.joined())
            .replacing("http://127.0.0.1:3000/", with: "http://127.0.0.1:\(server.port)/")
        let process = Process()
        let input = Pipe()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/bin/bash")
        process.currentDirectoryURL = URL(fileURLWithPath: server.folder)
        process.standardInput = input
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        // It fits into the pipe.
        try input.fileHandleForWriting.write(contentsOf: Data(script.utf8))
        try input.fileHandleForWriting.close()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        let text = String(decoding: data, as: UTF8.self)
            .replacing("http://127.0.0.1:\(server.port)/", with: "http://127.0.0.1:3000/")
        return Array(text.components(separatedBy: mark).dropFirst())
    }

    /// The blocks for a shell, each with the indented lines that follow it.
    private static func blocks(of name: String, count: Int) throws -> [Block] {
        let file = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
        let root = file.deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let text = try String(contentsOf: root.appendingPathComponent(name), encoding: .utf8)
        let blocks = text.components(separatedBy: "\n```sh\n").dropFirst().map { part in
            let halves = part.components(separatedBy: "\n```\n")
            let lines = halves.dropFirst().joined().split(separator: "\n")
                .drop { $0 == "The responses:" }
            let output = lines.prefix { $0.hasPrefix("    ") }.map { String($0.dropFirst(4)) }
            return Block(commands: halves[0], output: output)
        }
        try #require(blocks.count == count)
        return blocks
    }

    /// Replaces the cursors of next pages, because they depend on ids.
    private static func withoutCursors(_ text: String) -> String {
        text.replacing(/"next":"[^"]*"/) { _ in #""next":null"# }
            .replacing(/cursor=[-0-9A-Za-z_]{32}/) { _ in "cursor=" }
    }

    /// The text without line ends, and with the same ids, tokens and times of creation everywhere.
    private static func masked(_ text: String) -> String {
        text.replacing("\r\n", with: "\n")
            .replacing(/^[0-9]+,[0-9]+,/.anchorsMatchLineEndings()) { _ in "0,0," }
            .replacing("\n", with: "")
            .replacing(/"(id|user_id)":[0-9]+/) { "\"\($0.1)\":0" }
            .replacing(/#(event=)?[0-9]+(?=  |")/) { "#\($0.1 ?? "")0" }
            .replacing(/"(auth_token|authentication_token|token)":"[-0-9A-Za-z_]{20,36}"/) {
                "\"\($0.1)\":\"\""
            }
            .replacing(/"(created_at|updated_at)":"[-0-9]{10}T[0-9:.]{12}Z"/) {
                "\"\($0.1)\":\"\""
            }
            .replacing(/"version":"[-_0-9A-Za-z]{11}"/) { _ in #""version":"""# }
            .replacing(/"cursor":"[0-9a-f]{8}-[0-9.]+-[0-9a-f]{4}"/) { _ in #""cursor":"""# }
            .replacing(/id: [0-9a-f]{8}-[0-9.]+-[0-9a-f]{4}/) { _ in "id: " }
            .replacing(/Content-Location: \/v1\/events\/[0-9]+/) { _ in "Content-Location: " }
            .replacing(/ETag: "[-_0-9A-Za-z]{11}"/) { _ in "ETag: " }
            .replacing(/"last_seen_on":"[-0-9]{10}"/) { _ in #""last_seen_on":"""# }
            .replacing(/(UID:|urn:uuid:)[-0-9a-f]{36}/) { "\($0.1)" }
            .replacing(/(DTSTAMP|CREATED|LAST-MODIFIED):[0-9]{8}T[0-9]{6}Z/) { "\($0.1):" }
            .replacing(/<(published|updated)>[-0-9]{10}T[0-9:.]{12}Z/) { "<\($0.1)>" }
    }
}
