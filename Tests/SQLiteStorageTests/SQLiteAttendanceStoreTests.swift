import Model
import SQLiteStorage
import Testing

struct SQLiteAttendanceStoreTests {
    private let storage: StorageFixture
    private let attendances: SQLiteAttendanceStore

    init() throws {
        storage = try StorageFixture()
        attendances = storage.attendances
    }

    private func event() async throws -> Int64 {
        let owner = try await storage.user()
        return try storage.store(.at(0, 0), ownerID: owner.id)
    }

    @Test func `makes one attendance of simultaneous calls`() async throws {
        let event = try await event()
        let guest = try await storage.user(2)

        let found = try await withThrowingTaskGroup(of: Int64.self) { group in
            for _ in 1...16 {
                group.addTask { [attendances] in
                    try await attendances.findOrCreate(userID: guest.id, eventID: event).id
                }
            }
            return try await group.reduce(into: Set<Int64>()) { $0.insert($1) }
        }

        #expect(found == [1])
        #expect(
            try await attendances.all(ofEvent: event)
                == [Attendance(id: 1, userID: guest.id, eventID: event)]
        )
    }

    @Test func `refuses an event that does not exist`() async throws {
        let guest = try await storage.user()

        await #expect(throws: ModelError.notFound) {
            try await attendances.findOrCreate(userID: guest.id, eventID: 9)
        }
    }

    @Test func `lists the attendances of an event, oldest first`() async throws {
        let event = try await event()
        var expected: [Attendance] = []
        for byte in [9, 3, 5] as [UInt8] {
            let guest = try await storage.user(byte)
            expected.append(try await attendances.findOrCreate(userID: guest.id, eventID: event))
        }
        // The oldest comes from the youngest user.
        try await attendances.delete(expected[0].id, userID: expected[0].userID)
        expected.append(
            try await attendances.findOrCreate(userID: expected[0].userID, eventID: event)
        )
        expected.removeFirst()

        #expect(try await attendances.all(ofEvent: event) == expected)
        #expect(expected.map(\.id) == [2, 3, 4])
    }

    @Test func `tells an event without attendances from none`() async throws {
        let event = try await event()

        #expect(try await attendances.all(ofEvent: event) == [])
        #expect(try await attendances.all(ofEvent: event + 1) == nil)
    }

    @Test func `deletes the user's own and tells nothing of others'`() async throws {
        let event = try await event()
        let guest = try await storage.user(2)
        let attendance = try await attendances.findOrCreate(userID: guest.id, eventID: event)

        for (id, user) in [(attendance.id, Int64(1)), (attendance.id + 1, guest.id)] {
            await #expect(throws: ModelError.notFound) {
                try await attendances.delete(id, userID: user)
            }
        }
        #expect(try await attendances.all(ofEvent: event) == [attendance])

        try await attendances.delete(attendance.id, userID: guest.id)
        #expect(try await attendances.all(ofEvent: event) == [])
    }
}
