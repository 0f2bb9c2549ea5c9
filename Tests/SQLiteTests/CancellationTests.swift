import System
import Testing

@testable import SQLite

@Suite struct CancellationTests {
    @Test func `ends work that has not begun its first statement`() throws {
        let database = try TemporaryDatabase()
        let connection = try database.connection()
        let cancellation = Cancellation()

        #expect(throws: CancellationError.self) {
            try cancellation.run(on: connection.handle) {
                cancellation.cancel()
                _ = try connection.notes()
            }
        }

        #expect(try connection.notes() == [])
    }
}
