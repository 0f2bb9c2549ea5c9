import Testing

@testable import PostgreSQLStorage

/// The snapshots of PostgreSQL as text, and their order.
@Suite struct TransactionSnapshotTests {
    @Test func `reads the text of a snapshot`() throws {
        let snapshot = try #require(TransactionSnapshot("10:20:10,14,15"))

        #expect(snapshot.firstRunning == 10)
        #expect(snapshot.end == 20)
        #expect(snapshot.running == [10, 14, 15])
        #expect(TransactionSnapshot("7:7:")?.running == [])
    }

    @Test(arguments: [
        "", "1", "1:2", "1:2:3:4", "a:2:", "1:b:", "1:2:3,c", "1:9223372036854775808:",
    ])
    func `rejects other texts`(text: String) {
        #expect(TransactionSnapshot(text) == nil)
    }

    @Test(arguments: [
        // The same.
        ("10:20:10,15", "10:20:10,15", true, true),
        // A transaction has ended.
        ("10:20:10,15", "10:20:10", true, false),
        // One has begun and ended, and others have begun.
        ("10:10:", "10:12:10", true, false),
        // One has ended, and one that had not begun is running.
        ("10:20:10,15", "15:25:15,22", true, false),
        // What never happens on one server: each sees what the other doesn't.
        ("10:20:10", "10:20:15", false, false),
        ("10:20:10", "10:21:15", false, false),
    ])
    func `a later snapshot includes an earlier one`(
        earlier: String,
        later: String,
        isIncluded: Bool,
        includesLater: Bool
    ) throws {
        let earlier = try #require(TransactionSnapshot(earlier))
        let later = try #require(TransactionSnapshot(later))

        #expect(later.includes(earlier) == isIncluded)
        #expect(earlier.includes(later) == includesLater)
    }
}
