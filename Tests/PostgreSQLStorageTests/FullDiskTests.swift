import Model
import PostgreSQLSupport
import Rules
import StorageSupport
import Testing

/// What a storage knows of the disk of PostgreSQL.
@Suite(.enabled(if: ThrowawayPostgreSQL.isInstalled, ThrowawayPostgreSQL.skipped))
struct FullDiskTests {
    private let fixture: PostgreSQLFixture

    init() throws {
        fixture = try PostgreSQLFixture()
    }

    /// Makes each new user fail with a code of PostgreSQL.
    private func reject(with code: String) throws {
        try fixture.database.database.run(
            """
            CREATE OR REPLACE FUNCTION reject() RETURNS trigger LANGUAGE plpgsql AS
                $$ BEGIN RAISE EXCEPTION 'no' USING ERRCODE = '\(code)'; END $$;
            CREATE OR REPLACE TRIGGER reject BEFORE INSERT ON users
                FOR EACH ROW EXECUTE FUNCTION reject()
            """
        )
    }

    private func createUser() async -> ModelError? {
        await #expect(throws: ModelError.self) {
            try await fixture.storage.stores.users.create(token: TokenDigest(1))
        }
    }

    @Test func `a failed write tells whether the disk was full`() async throws {
        // Other tests use the database again.
        defer { _ = try? fixture.database.database.run("DROP FUNCTION reject CASCADE") }

        try reject(with: "XX000")
        _ = await createUser()
        #expect(fixture.storage.millisecondsSinceFullDisk == nil)

        try reject(with: "53100")
        let error = await createUser()

        #expect(error == .unavailable(reason: "The storage is full."))
        let age = try #require(fixture.storage.millisecondsSinceFullDisk)
        #expect((0..<60_000).contains(age))

        // The disk is not less full because another write has failed for another reason.
        try reject(with: "XX000")
        _ = await createUser()

        #expect(fixture.storage.millisecondsSinceFullDisk != nil)
    }
}
