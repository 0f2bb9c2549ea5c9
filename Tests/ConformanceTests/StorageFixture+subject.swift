import Conformance
import SQLiteStorage
import StorageSupport

extension StorageFixture {
    /// All stores on this database.
    var subject: ConformanceSubject {
        ConformanceSubject(database.stores, transfer, database.accountAdministration, .text) {
            sql in
            try await writeElsewhere { try $0.run(.init(stringLiteral: sql)) }
        }
    }
}
