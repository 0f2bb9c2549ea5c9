import CSQLite
import Testing

@testable import SQLite

@Suite struct PageCacheTests {
    private var greatestPage = GreatestPage(bytesPerPage: 4096)
    /// The lock-byte page of pages with 4096 bytes.
    private let lockBytePage: UInt32 = 262_145

    @Test func isAddedBeforeTheFirstConnection() {
        #expect(Library.isConfigured)
    }

    /// SQLite's cache under the layer gets each call.
    @Test func passesOnWhatChangesPages() throws {
        try #require(Library.isConfigured && sqlite3_initialize() == SQLITE_OK)
        let methods = unsafe PageCache.methods()
        let cache = unsafe methods.xCreate(4096, 64, 1)
        defer { unsafe methods.xDestroy(cache) }
        unsafe methods.xCachesize(cache, 100)
        /// Creates a missing page if `creates` is 1 (unless memory is short) or 2.
        func page(
            _ number: UInt32,
            creates: Int32 = 0
        ) -> UnsafeMutablePointer<sqlite3_pcache_page>? {
            unsafe methods.xFetch(cache, number, creates)
        }
        func count() -> Int32 { unsafe methods.xPagecount(cache) }

        let pages = unsafe (1...4).map { unsafe page($0, creates: 2) }
        #expect(unsafe pages.allSatisfy { unsafe $0 != nil })
        #expect(count() == 4)

        #expect(unsafe page(5, creates: 1) != nil)
        unsafe methods.xTruncate(cache, 5)
        #expect(unsafe page(5) == nil)

        unsafe methods.xRekey(cache, pages[1], 2, lockBytePage)
        #expect(unsafe page(2) == nil)
        unsafe methods.xRekey(cache, pages[1], lockBytePage, 7)
        #expect(unsafe page(7) == pages[1])
        unsafe methods.xTruncate(cache, 6)
        #expect(unsafe page(7) == nil)
        #expect(count() == 3)

        unsafe methods.xTruncate(cache, 4)
        #expect(unsafe page(4) == nil)
        #expect(unsafe page(3) == pages[2])
        #expect(count() == 2)

        unsafe methods.xUnpin(cache, pages[2], 1)
        #expect(count() == 1)
        unsafe methods.xUnpin(cache, pages[0], 0)
        #expect(count() == 1)
        unsafe methods.xShrink(cache)
        #expect(count() == 0)
    }

    @Test mutating func removesPagesUpToTheGreatest() {
        greatestPage.noteNewPage(7)
        greatestPage.noteNewPage(3)

        let hasMore = greatestPage.noteRemoval(from: 8)
        let hasGreatest = greatestPage.noteRemoval(from: 7)
        let hasGreatestAgain = greatestPage.noteRemoval(from: 7)
        let hasOneBefore = greatestPage.noteRemoval(from: 6)

        #expect(!hasMore && hasGreatest && !hasGreatestAgain && hasOneBefore)
    }

    @Test mutating func removesMovedPages() {
        greatestPage.noteNewPage(3)
        greatestPage.noteMove(from: 3, to: 9)

        let hasMoved = greatestPage.noteRemoval(from: 9)

        #expect(hasMoved)
    }

    @Test mutating func forgetsTheLockBytePageOnceThePageIsMovedOn() {
        greatestPage.noteNewPage(3)
        greatestPage.noteMove(from: 3, to: lockBytePage)
        greatestPage.noteMove(from: lockBytePage, to: 2)

        let hasMoved = greatestPage.noteRemoval(from: 4)

        #expect(!hasMoved)
    }

    @Test mutating func countsThePageWhileItIsTheLockBytePage() {
        greatestPage.noteMove(from: 3, to: lockBytePage)

        let hasOneAfter = greatestPage.noteRemoval(from: lockBytePage + 1)
        let hasPage = greatestPage.noteRemoval(from: 4)
        let hasPageAgain = greatestPage.noteRemoval(from: 4)

        #expect(!hasOneAfter && hasPage && !hasPageAgain)
    }

    @Test mutating func countsOtherPagesNearTheLockBytePage() {
        greatestPage.noteMove(from: 1, to: lockBytePage - 1)
        let hasOneBefore = greatestPage.noteRemoval(from: lockBytePage - 1)
        greatestPage.noteMove(from: 1, to: lockBytePage + 1)
        let hasOneAfter = greatestPage.noteRemoval(from: lockBytePage + 1)

        #expect(hasOneBefore && hasOneAfter)
    }

    /// A page that is fetched by this number, for example in a damaged database, is removed.
    @Test mutating func countsANewLockBytePage() {
        greatestPage.noteNewPage(lockBytePage)

        let hasPage = greatestPage.noteRemoval(from: 4)

        #expect(hasPage)
    }

    /// With other page sizes, the byte at 1 GiB is in another page.
    @Test mutating func knowsThePageSize() {
        var small = GreatestPage(bytesPerPage: 1024)
        small.noteMove(from: 1, to: lockBytePage)
        small.noteMove(from: lockBytePage, to: 1)
        let hasPage = small.noteRemoval(from: lockBytePage)
        small.noteMove(from: 1, to: 1_048_577)
        small.noteMove(from: 1_048_577, to: 1)
        let hasLockBytePage = small.noteRemoval(from: 1_048_577)

        #expect(hasPage && !hasLockBytePage)
    }

    @Test mutating func removesAllPages() {
        greatestPage.noteNewPage(1)

        let hasPages = greatestPage.noteRemoval(from: 0)
        let hasPagesAgain = greatestPage.noteRemoval(from: 1)

        #expect(hasPages && !hasPagesAgain)
    }

    /// Nodes are split, pages are moved and discarded, and the file grows and shrinks.
    @Test func keepsTheDatabaseIntact() throws {
        let database = try TemporaryDatabase()
        let connection = try database.connection()
        try connection.run("CREATE TABLE numbers (number INTEGER PRIMARY KEY, square BLOB)")
        try connection.run("CREATE INDEX numbers_square ON numbers (square)")
        var expected: Set<Int64> = []

        for round in 0..<60 {
            var changed = expected
            try connection.run("BEGIN IMMEDIATE")
            for _ in 0..<40 {
                let number = Int64.random(in: 0..<4000)
                try connection.run(
                    "INSERT OR IGNORE INTO numbers VALUES (?1, zeroblob(200) || (?1 * ?1))",
                    .integer(number)
                )
                changed.insert(number)
            }
            if round % 10 == 9 {
                try connection.run("DELETE FROM numbers WHERE number < 2000")
                changed = changed.filter { $0 >= 2000 }
            }
            let isCommitted = round % 3 < 2
            try connection.run(isCommitted ? "COMMIT" : "ROLLBACK")
            if isCommitted { expected = changed }
            if round % 20 == 10 { try connection.run("VACUUM") }
        }

        let stored = try connection.all("SELECT number FROM numbers ORDER BY square, number") {
            $0.int64(0)
        }
        #expect(Set(stored) == expected)
        #expect(stored.count == expected.count)
        #expect(try connection.first("PRAGMA integrity_check") { $0.text(0) } == "ok")
    }
}
