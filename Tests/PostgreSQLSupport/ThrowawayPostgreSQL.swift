import Foundation
import Glibc
package import PostgreSQL
import System

/// A server of PostgreSQL in a temporary folder, without durability, that ends with the tests.
package final class ThrowawayPostgreSQL: Sendable {
    /// The comment for tests that are skipped.
    package static let missing =
        isOff
        ? "HUMON_TEST_POSTGRESQL is off; bin/test --all runs them."
        : "No server of PostgreSQL is installed (postgresql-15)."

    /// Whether the tests run as if no server were installed.
    private static let isOff =
        ProcessInfo.processInfo.environment["HUMON_TEST_POSTGRESQL"] == "off"

    /// Whether a server is installed that this user can start.
    package static var isInstalled: Bool { binaries != nil && (getuid() != 0 || user != nil) }

    /// The server that most tests of this process share; nil if none is installed.
    package static let shared: ThrowawayPostgreSQL? = {
        guard isInstalled else {
            FileHandle.standardError.write(Data("Skipping tests: \(missing)\n".utf8))
            return nil
        }
        do {
            return try ThrowawayPostgreSQL()
        } catch {
            FileHandle.standardError.write(Data("\(error)\n".utf8))
            return nil
        }
    }()

    /// The folder with its socket.
    package let folder: String
    /// The port, which is only part of the socket's name.
    package let port = 5432

    private let shell: Shell
    private let state = Mutex(0)

    /// Creates a cluster and starts its server, in about a second.
    ///
    /// - Throws: An error with the server's messages if it doesn't start.
    package init() throws {
        guard let binaries = Self.binaries else { throw StartFailure(Self.missing) }
        var template = Array("/tmp/humon-postgresql-XXXXXX".utf8CString)
        guard
            let path = unsafe template.withUnsafeMutableBufferPointer({ buffer -> String? in
                guard let start = buffer.baseAddress, unsafe mkdtemp(start) != nil else {
                    return nil
                }
                return unsafe String(cString: start)
            })
        else { throw StartFailure("There is no temporary folder.") }
        folder = path
        if getuid() == 0, let user = Self.user { unsafe chown(path, user.user, user.group) }
        shell = try Shell(script: Self.script, arguments: [binaries, path], as: Self.user)
        guard shell.readLine() == "ready" else {
            throw StartFailure(
                "PostgreSQL doesn't start. See \(folder)/server.log and initdb.log."
            )
        }
    }

    /// Stops the server as if it had been killed; `start` starts it again.
    package func stop() throws {
        try command("stop", "stopped")
    }

    /// Starts the server that `stop` has stopped.
    package func start() throws {
        try command("start", "ready")
    }

    /// Creates a database with a name of its own, which it returns.
    ///
    /// It copies the database `template`, to which nobody may be connected.
    package func makeDatabase(template: String = "template1") throws -> String {
        try state.withLock { count in
            count += 1
            let name = "test_\(count)"
            try run("CREATE DATABASE \(name) TEMPLATE \(template)")
            return name
        }
    }

    /// Drops a database and ends its connections.
    package func dropDatabase(_ name: String) throws {
        try run("DROP DATABASE IF EXISTS \(name) WITH (FORCE)")
    }

    /// The URL of a database.
    package func url(of database: String) throws -> ConnectionURL {
        try ConnectionURL(urlText(of: database))
    }

    /// The text of the URL of a database.
    package func urlText(of database: String) -> String {
        "postgres:///\(database)?host=\(folder)&port=\(port)&user=humon"
    }

    /// Executes SQL with psql, and returns what it prints, without a frame.
    @discardableResult
    package func run(_ sql: String, in database: String = "postgres") throws -> String {
        guard let binaries = Self.binaries else { throw StartFailure(Self.missing) }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: binaries + "/psql")
        process.arguments = [
            "-h", folder, "-p", "\(port)", "-U", "humon", "-X", "-q", "-A", "-t",
            "-v", "ON_ERROR_STOP=1", "-d", database, "-c", sql,
        ]
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let text = String(
            decoding: output.fileHandleForReading.readDataToEndOfFile(),
            as: UTF8.self
        )
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw StartFailure(text) }
        return text.split(separator: "\n").joined(separator: "\n")
    }

    private func command(_ word: String, _ answer: String) throws {
        try state.withLock { _ in
            shell.write(word + "\n")
            guard shell.readLine() == answer else { throw StartFailure("no \(answer)") }
        }
    }

    /// The folder of the newest version's programs.
    private static let binaries: String? = {
        if isOff { return nil }
        let root = "/usr/lib/postgresql"
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
        let newest = versions.compactMap(Int.init).filter { $0 >= 14 }.sorted().reversed()
        return newest.map { "\(root)/\($0)/bin" }.first { folder in
            ["initdb", "postgres", "psql", "pg_isready"].allSatisfy { name in
                FileManager.default.isExecutableFile(atPath: "\(folder)/\(name)")
            }
        }
    }()

    /// The user who runs the server if the tests run as root; PostgreSQL refuses to run as root.
    private static let user: (user: uid_t, group: gid_t)? = {
        guard getuid() == 0, let entry = unsafe getpwnam("postgres") else { return nil }
        return unsafe (entry.pointee.pw_uid, entry.pointee.pw_gid)
    }()

    /// Starts the server, and ends it by its process id when the input ends, which happens however
    /// the tests end.
    private static let script = """
        # The input of another test's child would not end while this one holds it open.
        for file in /proc/self/fd/*; do
            file=${file##*/}
            [[ $file -le 2 ]] || eval "exec $file>&-"
        done
        bin=$1 folder=$2
        cd "$folder" || exit 1
        "$bin/initdb" -N -D data -U humon -A trust -E UTF8 --no-locale >initdb.log 2>&1 || exit 1
        start() {
            "$bin/postgres" -D data -k "$folder" -c listen_addresses= -c fsync=off \\
                -c max_connections=200 -c shared_buffers=32MB -c log_min_messages=fatal \\
                >>server.log 2>&1 </dev/null &
            server=$!
            until "$bin/pg_isready" -q -h "$folder"; do
                kill -0 $server 2>/dev/null || exit 1
                sleep 0.05
            done
            echo ready
        }
        stop() {
            kill -QUIT $server 2>/dev/null
            wait $server 2>/dev/null
        }
        start
        while read -r word; do
            case $word in
                stop) stop; echo stopped ;;
                start) start ;;
            esac
        done
        stop
        rm -rf "$folder"
        """
}

/// The error for a server that doesn't start or do what it should.
package struct StartFailure: Error, CustomStringConvertible {
    package let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// A shell with a socket, whose input ends with this process.
private final class Shell: Sendable {
    private let end: Int32
    private let pid: pid_t

    init(script: String, arguments: [String], as user: (user: uid_t, group: gid_t)?) throws {
        var ends: [Int32] = [-1, -1]
        // No other child may inherit an end, or the input would not end with this process.
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        guard unsafe socketpair(AF_UNIX, type, 0, &ends) == 0 else {
            throw StartFailure("socketpair: \(errno)")
        }
        var words = ["/bin/bash", "-c", script, "bash"] + arguments
        if let user {
            let options = ["--reuid=\(user.user)", "--regid=\(user.group)", "--clear-groups"]
            words = ["setpriv"] + options + words
        }
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_adddup2(&actions, ends[1], 0)
        unsafe posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
        // A signal to the tests' group must not end the server before the shell can clean up.
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))
        var list = unsafe words.map { unsafe strdup($0) } + [nil]
        defer { unsafe list.forEach { unsafe free($0) } }
        var pid: pid_t = 0
        let code = unsafe posix_spawnp(&pid, words[0], &actions, &attributes, &list, environ)
        Glibc.close(ends[1])
        guard code == 0 else { throw StartFailure("posix_spawn: \(code)") }
        (self.end, self.pid) = (ends[0], pid)
    }

    deinit {
        shutdown(end, Int32(SHUT_WR))
        var status: Int32 = 0
        unsafe waitpid(pid, &status, 0)
        Glibc.close(end)
    }

    func write(_ text: String) {
        let bytes = Array(text.utf8)
        _ = unsafe bytes.withUnsafeBytes { unsafe Glibc.write(end, $0.baseAddress, $0.count) }
    }

    func readLine() -> String? {
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while unsafe read(end, &byte, 1) == 1 {
            if byte == UInt8(ascii: "\n") { return String(decoding: line, as: UTF8.self) }
            line.append(byte)
        }
        return nil
    }
}
