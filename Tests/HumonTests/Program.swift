import Foundation
import SQLite
import Support
import System
import Testing

@testable import Humon

/// The program as people run it, in a folder of its own, which goes with the value.
final class Program {
    /// What a run of it left behind.
    struct Outcome: Equatable {
        var status: Int32 = 0
        var output = ""
        var error = ""
    }

    let folder: String

    init() throws {
        folder = NSTemporaryDirectory() + "humon-program-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// Runs it to its end with these arguments, parted by spaces, and these settings alone.
    func run(_ line: String, settings: [String: String] = [:]) throws -> Outcome {
        let process = Process()
        process.executableURL = try Self.executable
        process.arguments = line.split(separator: " ").map(String.init)
        process.currentDirectoryURL = URL(fileURLWithPath: folder)
        process.environment = Sanitizers.environment(with: settings)
        try write("", to: "out.log")
        try write("", to: "error.log")
        process.standardOutput = FileHandle(forWritingAtPath: path("out.log"))
        process.standardError = FileHandle(forWritingAtPath: path("error.log"))
        try process.run()
        process.waitUntilExit()
        return Outcome(
            status: process.terminationStatus,
            output: try read("out.log"),
            error: try read("error.log")
        )
    }

    func path(_ name: String) -> String {
        folder + "/" + name
    }

    func write(_ text: String, to name: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: path(name)))
    }

    func read(_ name: String) throws -> String {
        try String(contentsOfFile: path(name), encoding: .utf8)
    }

    /// The names of the files in the folder but the logs, sorted.
    func files() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
            .filter { !$0.hasSuffix(".log") }
    }

    /// The product that is built beside the tests.
    static var executable: URL {
        get throws {
            let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
            return URL(fileURLWithPath: tests).deletingLastPathComponent()
                .appendingPathComponent("humon")
        }
    }
}

extension Program {
    /// Makes a database to which only the migrations before this name are applied, with events.
    func makeDatabase(
        before name: String,
        events: Int64,
        at place: String = "humon.sqlite3"
    ) throws {
        let configuration = DatabaseConfiguration(path: path(place), synchronous: .off)
        let migrations = EmbeddedSQLiteMigrations.all.prefix { $0.name < name }.map { file in
            (name: String(file.name.dropLast(".sql".count)), sql: file.text)
        }
        _ = try Migrator(migrations, configuration: configuration).migrate()
        let connection = try Connection(configuration, .readWrite)
        try connection.run("INSERT INTO users (created_at) VALUES (0)")
        try connection.run(
            """
            WITH RECURSIVE numbers (n) AS (
                SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?
            )
            INSERT INTO events
                (owner_id, name, latitude, longitude, started_at, created_at, updated_at)
            SELECT 1, 'old', 0, 0, 0, 0, 0 FROM numbers
            """,
            .integer(events)
        )
    }
}

/// The newest migration, for tests of databases that lack it.
enum NewestMigration {
    static let name = "0022_create_admins"

    /// The SQL that leaves a database as it was before the migration.
    static let undoing = """
        DROP TABLE admin_tokens;
        DROP TABLE admins;
        DELETE FROM schema_migrations WHERE name = '\(name)'
        """
}
