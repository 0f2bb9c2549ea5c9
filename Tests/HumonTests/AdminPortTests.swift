import Foundation
import SQLite
import Support
import Testing

/// The port for those who look after the server, of the program as people run it.
@Suite struct AdminPortTests {
    @Test func `starts although another program has set HOST, and says so`() throws {
        let server = try Program.Server(settings: ["HOST": "x86_64-conda-linux-gnu"])
        defer { server.stop() }

        #expect(server.startLog.contains(#""host":"127.0.0.1""#))
        let warning =
            #""level":"warning","message":"setting ignored: another program has set the "#
            + #"variable","setting":"HOST","value":"x86_64-conda-linux-gnu","advice":"conda sets "#
            + #"it to the platform of its compilers; unset HOST, or use --host 127.0.0.1""#
        #expect(server.startLog.contains(warning), "\(server.startLog)")
    }

    @Test func `tells how the server is, and what it has done`() async throws {
        let server = try Program.Server()
        defer { server.stop() }

        let health = try await server.get("/healthz", port: server.adminPort)
        let ready = try await server.get("/readyz", port: server.adminPort)
        _ = try await server.get("/v1/events/7", port: server.port)
        let metrics = try await server.get("/metrics", port: server.adminPort)
        let apps = try await server.get("/metrics", port: server.port)

        #expect(health == #"200 {"status":"ok"}"#)
        #expect(
            ready == #"200 {"status":"ok","checks":{"database":"ok","migrations":"ok","#
                + #""writer_queue":"ok","hashing_queue":"ok","events":"ok"}}"#
        )
        let route = #"method="GET",route="/v1/events/:id",status="404""#
        #expect(metrics.contains("\nhumon_requests_total{\(route)} 1\n"))
        let once = [
            "humon_commits_total 1", #"humon_commit_writes_bucket{le="1"} 1"#,
            #"humon_commit_writes_bucket{le="512"} 1"#, "humon_commit_writes_sum 1",
            "humon_commit_writes_count 1", "humon_password_hashes_total 0",
            "humon_search_queue_length 0", "humon_rejected_searches_total 0",
            #"humon_turned_away_connections_total{limit="all"} 0"#,
            "humon_accepted_connections_total 1",
            "humon_failed_accepts_total 0", "humon_log_dropped_lines_total 0",
            "humon_request_memory_bytes 0", "humon_request_memory_rejections_total 0",
            "humon_response_memory_bytes 0", "humon_slow_readers_disconnected_total 0",
            "humon_backups_total 0", "humon_backup_failures_total 0",
            "humon_backup_last_success_timestamp_seconds 0",
        ]
        for line in once { #expect(metrics.contains("\n\(line)\n"), "\(line)") }
        #expect(apps == #"404 {"message":"Not Found"}"#)
    }

    @Test func `keeps the locks of the database when it is asked whether it is ready`() async throws
    {
        let server = try Program.Server()
        defer { server.stop() }

        _ = try await server.get("/readyz", port: server.adminPort)

        // Without the locks, this would remove the WAL that the server writes to.
        let file = DatabaseConfiguration(path: server.folder + "/humon.sqlite3")
        #expect(throws: SQLiteError.self) { try Connection(file, .standalone) }
        let ready = try await server.get("/readyz", port: server.adminPort)
        #expect(ready.hasPrefix(#"200 {"status":"ok""#), "\(ready)")
    }
}

extension Program {
    /// The program that serves, until it is stopped.
    final class Server {
        let port: Int
        let adminPort: Int
        /// What it has logged until it was ready.
        let startLog: String
        private let process = Process()
        private let pipe = Pipe()
        private let program: Program
        var folder: String { program.folder }
        var processID: Int32 { process.processIdentifier }

        /// Starts in the folder of a program, by default one of its own.
        init(
            in program: Program? = nil,
            settings: [String: String] = [:]
        ) throws {
            self.program = try program ?? Program()
            process.executableURL = try Program.executable
            process.arguments = ["serve"]
            process.currentDirectoryURL = URL(fileURLWithPath: self.program.folder)
            let own = [
                "TB_APP_SECRET": "secret", "PORT": "0", "ADMIN_PORT": "0", "LOG_FORMAT": "json",
            ]
            process.environment = Sanitizers.environment(with: own.merging(settings) { $1 })
            process.standardError = pipe
            try process.run()
            var log = ""
            // The second line after a backup and a migration is that of the admin port.
            while log.split(separator: "\n", omittingEmptySubsequences: false)
                .count(where: { line in
                    !["migrating", "backup", "setting ignored"].contains { line.contains($0) }
                }) < 3
            {
                let data = pipe.fileHandleForReading.availableData
                if data.isEmpty { throw CocoaError(.fileReadUnknown) }
                log += String(decoding: data, as: UTF8.self)
            }
            let ports = log.matches(of: /"port":"([0-9]+)"/).compactMap { Int($0.1) }
            guard ports.count == 2 else { throw CocoaError(.fileReadCorruptFile) }
            port = ports[0]
            adminPort = ports[1]
            startLog = log
        }

        /// Waits for a line of the log that holds this text, and returns it.
        func logged(_ text: String) throws -> String {
            var log = ""
            while true {
                let data = pipe.fileHandleForReading.availableData
                if data.isEmpty { throw CocoaError(.fileReadUnknown) }
                log += String(decoding: data, as: UTF8.self)
                let lines = log.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
                if let line = lines.first(where: { $0.contains(text) }) { return String(line) }
            }
        }

        /// The status of the answer and its body.
        func get(_ path: String, port: Int) async throws -> String {
            let connection = Process()
            let pipe = Pipe()
            connection.executableURL = URL(fileURLWithPath: "/bin/bash")
            let request = "GET \(path) HTTP/1.0\\r\\n\\r\\n"
            connection.arguments = [
                "-c", "exec 3<>/dev/tcp/127.0.0.1/\(port); printf '\(request)' >&3; cat <&3",
            ]
            connection.standardOutput = pipe
            try connection.run()
            let data = try pipe.fileHandleForReading.readToEnd() ?? Data()
            connection.waitUntilExit()
            let text = String(decoding: data, as: UTF8.self)
            let parts = text.split(separator: "\r\n\r\n", maxSplits: 1)
            return text.dropFirst(9).prefix(3) + " " + (parts.count > 1 ? String(parts[1]) : "")
        }

        func stop() {
            process.terminate()
            process.waitUntilExit()
        }
    }
}
