import Foundation
import Humon
import Model
import SQLiteStorage
import Testing

@testable import Settings

@Suite struct StorageTests {
    @Test func `leaves one whole file behind when it is closed`() async throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("humon-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: folder) }
        var configuration = Configuration(coreCount: 1, isTerminal: false)
        configuration.databasePath = folder.path + "/humon.sqlite3"
        let storage = try Databases.open(configuration)
        let token = TokenDigest(bytes: [UInt8](repeating: 7, count: 32))
        let user = try await storage.stores.users.create(token: token)
        _ = try await storage.stores.users.find(token: token)

        storage.close()

        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(names.sorted() == ["humon.sqlite3", "humon.sqlite3-lock"])
        let reopened = try Databases.open(configuration)
        #expect(try await reopened.stores.users.find(token: token) == user)
        reopened.close()
    }
}
