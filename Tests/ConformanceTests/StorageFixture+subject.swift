import Conformance
import SQLite
import SQLiteStorage
import StorageSupport
import System

extension StorageFixture {
    /// All stores on this database.
    var subject: ConformanceSubject {
        ConformanceSubject(database.stores, transfer, .text) {
            sql in
            try await self.writeElsewhere { try $0.run(.init(stringLiteral: sql)) }
        }
    }
}
