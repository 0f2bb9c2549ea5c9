import Model
import SQLiteStorage
import Testing

struct SQLiteUserStoreTests {
    private let storage: StorageFixture

    init() throws {
        storage = try StorageFixture()
    }

    @Test func `finds a user by the token's digest`() async throws {
        let first = try await storage.users.create(token: TokenDigest(1))
        let second = try await storage.users.create(token: TokenDigest(2))

        #expect(try await storage.users.find(token: TokenDigest(1)) == first)
        #expect(try await storage.users.find(token: TokenDigest(2)) == second)
        #expect(try await storage.users.find(token: TokenDigest(3)) == nil)
        #expect([first.id, second.id] == [1, 2])
    }

    @Test func `refuses a token that is taken`() async throws {
        _ = try await storage.users.create(token: TokenDigest(1))

        await #expect(
            throws: ModelError.invalid([
                AttributeError("Device token", "has already been taken")
            ])
        ) {
            try await storage.users.create(token: TokenDigest(1))
        }
        #expect(try storage.number("SELECT count(*) FROM users") == 1)
    }

    @Test func `makes one user of simultaneous calls with the same token`() async throws {
        let ids = try await withThrowingTaskGroup(of: Int64.self) { group in
            for _ in 1...32 {
                group.addTask { [storage] in
                    try await storage.users.findOrCreate(token: TokenDigest(7)).id
                }
            }
            return try await group.reduce(into: Set<Int64>()) { $0.insert($1) }
        }

        #expect(ids == [1])
        #expect(try storage.number("SELECT count(*) FROM users") == 1)
    }

    @Test func `makes a revoked token useless and gives it to no old user`() async throws {
        let user = try await storage.users.create(token: TokenDigest(1))

        try await storage.users.revokeToken(of: user.id)

        #expect(try await storage.users.find(token: TokenDigest(1)) == nil)
        #expect(try await storage.users.findOrCreate(token: TokenDigest(1)) == User(id: 2))
    }

    @Test func `revokes nothing of a user who does not exist`() async {
        await #expect(throws: ModelError.notFound) { try await storage.users.revokeToken(of: 9) }
    }

    @Test func `refuses a digest of another length`() async throws {
        let digest = TokenDigest(bytes: [1, 2, 3])

        let error = await #expect(throws: ModelError.self) {
            try await storage.users.create(token: digest)
        }

        guard case .storage = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(try storage.number("SELECT count(*) FROM users") == 0)
    }

    @Test func `notes when a user was created`() async throws {
        let start = Timestamp.now().milliseconds
        _ = try await storage.user()
        let end = Timestamp.now().milliseconds

        let time = try #require(try storage.number("SELECT created_at FROM users"))
        #expect(start <= time && time <= end)
    }
}
