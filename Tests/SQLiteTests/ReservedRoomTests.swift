import Testing

@testable import SQLite

@Suite struct ReservedRoomTests {
    @Test func `covers nothing until some is reserved`() {
        #expect(!ReservedRoom().covers(0))
    }

    @Test func `covers eight pages for each row that is changed later`() {
        let room = ReservedRoom(changes: 100, bytes: 3 * 8 * 4096 - 1)

        #expect(room.covers(100))
        #expect(room.covers(102))
        #expect(!room.covers(103))
    }
}
