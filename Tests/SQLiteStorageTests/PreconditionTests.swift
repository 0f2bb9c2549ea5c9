import Model
import SQLiteStorage
import Testing

/// Preconditions, which see the record as the write finds it.
@Suite struct PreconditionTests {
    private struct Refusal: Error, Equatable {}

    private let storage: StorageFixture
    private let tasks: SQLiteTodoTaskStore

    init() throws {
        storage = try StorageFixture()
        tasks = SQLiteTodoTaskStore(storage.database)
    }

    @Test func `see what the write before has made of an event`() async throws {
        let owner = try await storage.user()
        let original = EventAttributes.at(1, 2)
        let id = try storage.store(original, ownerID: owner.id)
        let isUnchanged: Precondition<Event> = { event in
            guard event.attributes == original else { throw Refusal() }
        }

        let events = storage.events
        let writes = (0..<8).map { index in
            Task {
                try await events.update(id, ownerID: owner.id, if: isUnchanged) { _ in
                    .at(3, 4, name: "\(index)")
                }
            }
        }
        let results = await Self.results(of: writes)

        #expect(results.filter { $0 == nil }.count == 1)
        #expect(results.filter { $0 == Refusal() }.count == 7)
        await #expect(throws: Refusal.self) {
            try await events.delete(id, ownerID: owner.id, if: isUnchanged)
        }
        #expect(try await events.find(id) != nil)
    }

    @Test func `see what the write before has made of a task`() async throws {
        let email = try #require(EmailAddress("ana@example.com"))
        let record = TodoTaskRecord(
            id: 1,
            email: email,
            title: "a",
            isCompleted: false,
            createdAt: .now(),
            updatedAt: .now()
        )
        let imported = try storage.transfer.importRecords { session in
            try session.store([record], isStrict: false)
        }
        #expect(imported == [.imported(id: 1)])
        let isUnchanged: Precondition<TodoTask> = { task in
            guard task.title == "a" else { throw Refusal() }
        }

        let tasks = tasks
        let writes = (0..<8).map { index in
            Task {
                try await tasks.update(
                    1,
                    accountID: 1,
                    if: isUnchanged,
                    TodoTaskChange(title: "\(index)")
                )
            }
        }
        let results = await Self.results(of: writes)

        #expect(results.filter { $0 == nil }.count == 1)
        #expect(results.filter { $0 == Refusal() }.count == 7)
        await #expect(throws: Refusal.self) {
            try await tasks.delete(1, accountID: 1, if: isUnchanged)
        }
        #expect(try await tasks.find(1, accountID: 1) != nil)
    }

    @Test func `are not asked about what is not there or another's`() async throws {
        let owner = try await storage.user(1)
        let other = try await storage.user(2)
        let id = try storage.store(.at(1, 2), ownerID: owner.id)
        let attendance = try await storage.attendances.findOrCreate(userID: owner.id, eventID: id)

        await #expect(throws: ModelError.notFound) {
            try await storage.events.delete(id + 1, ownerID: owner.id) { _ in throw Refusal() }
        }
        await #expect(throws: ModelError.forbidden) {
            try await storage.events.delete(id, ownerID: other.id) { _ in throw Refusal() }
        }
        await #expect(throws: ModelError.notFound) {
            try await storage.attendances.delete(attendance.id, userID: other.id) { _ in
                throw Refusal()
            }
        }
        await #expect(throws: ModelError.notFound) {
            try await tasks.update(1, accountID: 1, if: { _ in throw Refusal() }, TodoTaskChange())
        }
        await #expect(throws: Refusal.self) {
            try await storage.attendances.delete(attendance.id, userID: owner.id) { found in
                #expect(found == attendance)
                throw Refusal()
            }
        }
        #expect(try await storage.attendances.all(ofEvent: id) == [attendance])
    }

    /// What each write has thrown; nil for one that has succeeded.
    private static func results(of writes: [Task<Void, any Error>]) async -> [Refusal?] {
        var results: [Refusal?] = []
        for write in writes {
            do {
                try await write.value
                results.append(nil)
            } catch {
                results.append(error as? Refusal)
            }
        }
        return results
    }
}
