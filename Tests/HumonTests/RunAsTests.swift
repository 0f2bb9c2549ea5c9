import Foundation
import Glibc
import Support
import Testing

/// `RUN_AS`, which only root can test.
@Suite(.enabled(if: geteuid() == 0, "needs root"))
struct RunAsTests {
    private let program: Program

    init() throws {
        program = try Program()
        try makeFolder("data")
    }

    private static let settings = [
        "RUN_AS": "10001:10002", "DATABASE_URL": "sqlite:data/humon.sqlite3",
        "TB_APP_SECRET": "secret",
    ]

    private func makeFolder(_ name: String, mode: mode_t = 0o755) throws {
        try #require(unsafe mkdir(program.path(name), 0o700) == 0)
        #expect(unsafe chmod(program.path(name), mode) == 0)
    }

    private func give(_ name: String, to user: uid_t) {
        #expect(unsafe chown(program.path(name), user, user) == 0)
    }

    /// The user and the group of a file, or of a link itself.
    private func owner(_ name: String) -> String {
        var status = stat()
        guard unsafe lstat(program.path(name), &status) == 0 else { return "missing" }
        return "\(status.st_uid):\(status.st_gid)"
    }

    /// Runs the program as another user than root.
    private func runUnprivileged(
        _ command: String,
        in folder: String = "",
        at url: String = "sqlite:data/humon.sqlite3"
    ) throws -> Program.Outcome {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/setpriv")
        let humon = try Program.executable.path
        let user = ["--reuid", "10001", "--regid", "10002", "--clear-groups"]
        process.arguments = user + [humon, command]
        process.currentDirectoryURL = URL(fileURLWithPath: program.path(folder))
        let settings = Self.settings.merging(["DATABASE_URL": url]) { $1 }
        process.environment = Sanitizers.environment(with: settings)
        let (output, error) = (Pipe(), Pipe())
        process.standardOutput = output
        process.standardError = error
        try process.run()
        process.waitUntilExit()
        func text(_ pipe: Pipe) throws -> String {
            String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        }
        return Program.Outcome(
            status: process.terminationStatus,
            output: try text(output),
            error: try text(error)
        )
    }

    @Test(
        arguments: [
            "migrate", "seed", "doctor", "backup copy", "export data/events.csv", "webhook list",
            "admin list", "reports", "event invite 1",
        ]
    )
    func `gives root's folder and database to the user`(line: String) throws {
        #expect(
            try program.run("migrate", settings: ["DATABASE_URL": "sqlite:data/humon.sqlite3"])
                .status == 0
        )
        try program.write("", to: "data/other")
        #expect(owner("data/humon.sqlite3") == "0:0")

        let outcome = try program.run(line, settings: Self.settings)

        // Its arguments are right; the database has no event to invite to.
        #expect(outcome.status <= 1, "\(outcome.error)")
        #expect(owner("data") == "10001:10002")
        #expect(owner("data/humon.sqlite3") == "10001:10002")
        #expect(owner("data/humon.sqlite3-lock") == "10001:10002")
        #expect(owner("data/other") == "0:0")
        #expect(owner(".") == "0:0")
    }

    @Test func `serves as the user for good`() throws {
        // The server inherits a group that it must drop. Other tests don't notice it.
        #expect(unsafe setgroups(1, [10005]) == 0)
        defer { setgroups(0, nil) }
        let server = try Program.Server(in: program, settings: Self.settings)
        defer { server.stop() }

        let status = try String(
            contentsOfFile: "/proc/\(server.processID)/status",
            encoding: .utf8
        ).split(separator: "\n").map { $0.split(whereSeparator: \.isWhitespace) }
        func values(_ name: String) -> [Substring]? {
            status.first { $0.first == "\(name):" }.map { Array($0.dropFirst()) }
        }

        #expect(values("Uid") == ["10001", "10001", "10001", "10001"])
        #expect(values("Gid") == ["10002", "10002", "10002", "10002"])
        #expect(values("Groups") == [])
        #expect(values("CapPrm") == ["0000000000000000"])
        #expect(owner("data/humon.sqlite3") == "10001:10002")
    }

    @Test func `changes nothing without the setting`() throws {
        var settings = Self.settings
        settings["RUN_AS"] = "none"

        #expect(try program.run("migrate", settings: settings).status == 0)

        #expect(owner("data") == "0:0" && owner("data/humon.sqlite3") == "0:0")
    }

    @Test func `follows no link in place of the folder`() throws {
        try makeFolder("real")
        #expect(unsafe rmdir(program.path("data")) == 0)
        #expect(unsafe symlink("real", program.path("data")) == 0)

        let outcome = try program.run("migrate", settings: Self.settings)

        #expect(
            outcome
                == Program.Outcome(
                    status: 78,
                    error: """
                        humon: RUN_AS doesn't give data to 10001, because it is a link or the root \
                        folder. Set DATABASE_URL to a file in a folder of its own.

                        """
                )
        )
        #expect(owner("real") == "0:0" && owner("data") == "0:0")
        #expect(try FileManager.default.contentsOfDirectory(atPath: program.path("real")) == [])
    }

    @Test func `follows no link in place of a file`() throws {
        try makeFolder("real")
        try program.write("", to: "real/file")
        #expect(unsafe symlink("../real/file", program.path("data/humon.sqlite3")) == 0)
        try program.write("", to: "real/named-twice")
        #expect(
            unsafe link(program.path("real/named-twice"), program.path("data/humon.sqlite3-wal"))
                == 0
        )

        let outcome = try program.run("migrate", settings: Self.settings)

        #expect(outcome.status == 1)
        #expect(outcome.error.contains("Permission denied: user 10001 can't "))
        #expect(owner("data") == "10001:10002" && owner("data/humon.sqlite3") == "0:0")
        #expect(owner("real") == "0:0" && owner("real/file") == "0:0")
        #expect(owner("real/named-twice") == "0:0")
    }

    @Test(arguments: ["data", "data/humon.sqlite3"])
    func `leaves alone what is another user's`(name: String) throws {
        try program.write("", to: "data/humon.sqlite3")
        #expect(unsafe chmod(program.path("data/humon.sqlite3"), 0o600) == 0)
        give(name, to: 10003)

        let outcome = try program.run("migrate", settings: Self.settings)

        #expect(outcome.status == 1)
        #expect(outcome.error.contains("Permission denied: user 10001 can't "))
        #expect(owner(name) == "10003:10003")
        // The files of a folder that isn't root's are not given away.
        #expect(owner("data/humon.sqlite3") == (name == "data" ? "0:0" : "10003:10003"))
    }

    @Test func `gives a file that nobody can write, and reports it`() throws {
        try program.write("", to: "data/humon.sqlite3")
        #expect(unsafe chmod(program.path("data/humon.sqlite3"), 0o400) == 0)

        let outcome = try program.run("migrate", settings: Self.settings)

        #expect(outcome.status == 1)
        #expect(outcome.error.contains("attempt to write a readonly database"))
        #expect(owner("data/humon.sqlite3") == "10001:10002")
    }

    @Test func `leaves alone a folder in which every user can write`() throws {
        #expect(unsafe chmod(program.path("data"), 0o1777) == 0)

        #expect(try program.run("migrate", settings: Self.settings).status == 0)

        #expect(owner("data") == "0:0" && owner("data/humon.sqlite3") == "10001:10002")
    }

    @Test(arguments: ["serve", "migrate"])
    func `refuses root's folder without root`(command: String) throws {
        let outcome = try runUnprivileged(command)

        #expect(
            outcome
                == Program.Outcome(
                    status: 78,
                    error: """
                        humon: data belongs to root. Run the container with --user 0, and Humon \
                        changes to 10001 itself, or run chown 10001 data.

                        """
                )
        )
        #expect(try FileManager.default.contentsOfDirectory(atPath: program.path("data")) == [])
    }

    /// The working directory of the image is the database's folder.
    @Test func `refuses root's folder also if it hides the settings`() throws {
        #expect(unsafe chmod(program.path("data"), 0o700) == 0)

        let outcome = try runUnprivileged(
            "serve",
            in: "data",
            at: "sqlite:\(program.path("data/h"))"
        )

        #expect(outcome.status == 78)
        #expect(outcome.error.hasPrefix("humon: \(program.path("data")) belongs to root. Run "))
    }

    @Test func `needs no root in a folder of the user`() throws {
        give("data", to: 10001)

        let outcome = try runUnprivileged("migrate")

        #expect(outcome.status == 0, "\(outcome.error)")
        #expect(owner("data/humon.sqlite3") == "10001:10002")
    }

    /// A database elsewhere has no folder here.
    @Test func `changes the user for PostgreSQL, too`() throws {
        var settings = Self.settings
        settings["DATABASE_URL"] = "postgres://humon@127.0.0.1:1/humon"

        let outcome = try program.run("seed", settings: settings)

        #expect(outcome.status == 1)
        #expect(owner("data") == "0:0" && owner(".") == "0:0")
    }
}
