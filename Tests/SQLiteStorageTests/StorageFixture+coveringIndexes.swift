import SQLite
import StorageSupport

@testable import SQLiteStorage

extension StorageFixture {
    /// Creates the indexes that a server has while not all events are in memory.
    func createCoveringIndexes() async throws {
        try await database.writer.write { connection in
            for index in CoveringIndexes.all { try connection.run(index.creation) }
        }
    }
}
