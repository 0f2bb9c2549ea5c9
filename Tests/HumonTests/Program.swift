import Foundation
import Support

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

/// The newest migration, for tests of databases that lack it.
enum NewestMigration {
    static let name = "0008_store_event_cells"

    /// The SQL that leaves a database as it was before the migration.
    static let undoing = """
        DROP INDEX events_cell;
        ALTER TABLE events DROP COLUMN cell;
        CREATE VIRTUAL TABLE events_rtree USING rtree (id, x_min, x_max, y_min, y_max, z_min, z_max);
        DELETE FROM schema_migrations WHERE name = '\(name)'
        """
}
