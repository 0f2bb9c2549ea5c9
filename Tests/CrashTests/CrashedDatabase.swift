import Foundation
import SQLite
import SQLiteStorage
import Support
import System

/// A database in a folder of its own, and what must hold of it after a crash.
final class CrashedDatabase: Sendable {
    let path: String
    let folder: String
    /// Whether the folder goes with this value.
    private let ownsFolder: Bool

    init() throws {
        ownsFolder = true
        folder = NSTemporaryDirectory() + "humon-crash-\(UUID().uuidString)"
        path = folder + "/humon.sqlite3"
        try FileManager.default.createDirectory(
            atPath: folder,
            withIntermediateDirectories: false
        )
    }

    private init(path: String, in folder: String) {
        self.path = path
        self.folder = folder
        ownsFolder = false
    }

    /// Another database in the same folder, which must not outlive this one.
    func sibling(_ name: String) -> CrashedDatabase {
        CrashedDatabase(path: folder + "/" + name, in: folder)
    }

    deinit {
        if ownsFolder { try? FileManager.default.removeItem(atPath: folder) }
    }

    /// The token of a new user.
    static func signUp(at server: HumonProcess) throws -> String {
        let token = UUID().uuidString
        let connection = try SocketConnection(port: server.port)
        let request = """
            POST /v1/users HTTP/1.1\r
            Host: a\r
            tb-app-secret: \(HumonProcess.secret)\r
            tb-device-token: \(token)\r
            \r\n
            """
        try connection.send(Array(request.utf8))
        let answer = try connection.receive(answerTo: "POST")
        guard answer.status == 200 else { throw CrashTestError("no sign-up: \(answer)") }
        return token
    }

    /// The events that the server does not answer with their name.
    static func lost(
        _ events: [AcknowledgedEvent],
        at server: HumonProcess
    ) throws -> [AcknowledgedEvent] {
        let connection = try SocketConnection(port: server.port)
        return try events.filter { event in
            let request = "GET /v1/events/\(event.id) HTTP/1.1\r\nHost: a\r\n\r\n"
            try connection.send(Array(request.utf8))
            let answer = try connection.receive(answerTo: "GET")
            return answer.status != 200 || !answer.body.contains(#""name":"\#(event.name)""#)
                || !answer.body.contains(#""id":\#(event.id),"#)
        }
    }

    /// What SQLite says is wrong.
    func faults(_ access: Connection.Access = .queryOnly) throws -> [String] {
        let connection = try Connection(DatabaseConfiguration(path: path), access)
        return try connection.faults(.full)
    }

    /// The bytes that are in the write-ahead log.
    func walBytes() -> Int {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path + "-wal")
        return (attributes?[.size] as? Int) ?? 0
    }

    /// Deletes an event without the server's knowledge.
    func delete(_ event: AcknowledgedEvent) throws {
        let connection = try Connection(DatabaseConfiguration(path: path), .readWrite)
        try connection.run("DELETE FROM events WHERE id = ?", .integer(event.id))
    }
}
