import Settings
import Testing
import Words

@testable import Humon
@testable import PostgreSQLStorage
@testable import SQLiteStorage

@Suite struct WordsCommandTests {
    private let program: Program
    private let settings = [
        "BLOCKED_WORDS_FILE": "words.txt", "TB_APP_SECRET": "s", "PORT": "0", "ADMIN_PORT": "off",
    ]

    init() throws {
        program = try Program()
    }

    @Test func `prints the entries that match, one a line`() throws {
        let lines = ["\u{FEFF}# Words", "curs*", "SO bad # phrase", "worst", ""]
        try program.write(lines.joined(separator: "\r\n"), to: "words.txt")

        #expect(
            try program.run("words Cursing,so-BÁD!", settings: settings)
                == .init(output: "curs*\nSO bad\n")
        )
        #expect(try program.run("words cur-so", settings: settings) == .init())
        #expect(
            try program.run("words worst --blocked-words-file words.txt")
                == .init(output: "worst\n")
        )
    }

    @Test func `needs a file`() throws {
        #expect(
            try program.run("words bad")
                == .init(
                    status: 64,
                    error: """
                        humon: BLOCKED_WORDS_FILE is not set. Set it to the path of a file with \
                        words.

                        """
                )
        )
    }

    @Test(
        arguments: [
            ("a\n!\n", "words.txt, line 2: \"!\" has no word; add one, or begin the line with #."),
            (
                String(repeating: "#", count: 1_048_577),
                "The file \"words.txt\" of BLOCKED_WORDS_FILE can't be read: it is larger than "
                    + "1048576 bytes."
            ),
            (
                nil,
                "The file \"words.txt\" of BLOCKED_WORDS_FILE can't be read: "
                    + "No such file or directory."
            ),
        ]
    )
    func `names the line that stops the server, and no other command`(
        text: String?,
        message: String
    ) throws {
        if let text { try program.write(text, to: "words.txt") }
        let files = try program.files()

        for line in ["serve", "words bad"] {
            let outcome = try program.run(line, settings: settings)
            #expect(outcome == .init(status: 78, error: "humon: \(message)\n"))
        }
        #expect(try program.files() == files)
        for line in ["config", "migrate", "export"] {
            #expect(try program.run(line, settings: settings).status == 0, "\(line)")
        }
    }

    @Test func `reads a file of the largest size`() throws {
        try program.write("bad" + String(repeating: "#", count: 1_048_573), to: "words.txt")

        #expect(try program.run("words bad", settings: settings) == .init(output: "bad\n"))
    }

    @Test func `gives the words to either engine`() throws {
        try program.write("bad", to: "words.txt")
        var configuration = Configuration(coreCount: 1, isTerminal: false)
        let words = try BlockedWords.list(at: program.path("words.txt"))

        let file = try Databases.engine(for: configuration, blockedWords: words)
        configuration.postgresqlURL = "postgres:///humon"
        let server = try Databases.engine(for: configuration, blockedWords: words)

        let options = try #require(file as? SQLiteEngine).options
        #expect(options.blockedWords.matches(in: "so bad") == ["bad"])
        let serverOptions = try #require(server as? PostgreSQLEngine).options
        #expect(serverOptions.blockedWords.matches(in: "so bad") == ["bad"])
        let other = try #require(Databases.engine(for: configuration) as? PostgreSQLEngine)
        #expect(other.options.blockedWords.matches(in: "so bad") == [])
    }
}
