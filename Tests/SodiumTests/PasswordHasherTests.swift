import Sodium
import Testing

@Suite struct PasswordHasherTests {
    @Test func `makes a hash that matches its password alone`() async throws {
        let hasher = try PasswordHasher(threads: 2, queueLimit: 8)
        defer { hasher.stop() }

        let hash = try await hasher.hash("correct horse")
        let other = try await hasher.hash("correct horse")

        #expect(hash.hasPrefix("$argon2id$v=19$m=19456,t=2,p=1$"))
        #expect(hash != other)
        #expect(!PasswordHasher.isWeak(hash))
        #expect(try await hasher.matches("correct horse", hash: hash))
        #expect(try await !hasher.matches("correct hors", hash: hash))
        #expect(try await !hasher.matches("", hash: hash))
        #expect(try await !hasher.matches("correct horse", hash: nil))
        #expect(try await !hasher.matches("correct horse", hash: "no hash"))
    }

    @Test func `ignores what is behind 1,024 bytes`() async throws {
        let hasher = try PasswordHasher(threads: 1, queueLimit: 8)
        defer { hasher.stop() }
        let password = String(repeating: "a", count: 1024)

        let hash = try await hasher.hash(password + "b")

        #expect(try await hasher.matches(password + "c", hash: hash))
        #expect(try await !hasher.matches(String(password.dropLast()), hash: hash))
    }

    @Test(
        arguments: [
            ("$argon2id$v=19$m=8,t=1,p=1$a$b", true), ("$argon2id$v=19$m=19455,t=2,p=1$a$b", true),
            ("$argon2id$v=19$m=65536,t=1,p=1$a$b", true), ("", true), ("no hash", true),
            ("$argon2i$v=19$m=19456,t=2,p=1$a$b", true), ("$argon2id$v=19$m=x,t=2,p=1$a$b", true),
            ("$argon2id$v=19$m=19456,t=2,p=1$a$b", false),
            ("$argon2id$v=19$m=65536,t=3,p=1$a$b", false),
        ]
    )
    func `knows a hash that took less work`(hash: String, isWeak: Bool) {
        #expect(PasswordHasher.isWeak(hash) == isWeak)
    }

    @Test func `matches a weak hash with its password alone`() async throws {
        let hasher = try PasswordHasher(threads: 1, queueLimit: 8)
        defer { hasher.stop() }
        let weak =
            "$argon2id$v=19$m=8,t=1,p=1$QVbQ6pqq4sQUhd5gz6HSCw"
            + "$uZjPv00LiqK1JilAGPOqhd8t86QCTjQuXfePK4VwOSY"

        #expect(try await hasher.matches("correct horse", hash: weak))
        #expect(try await !hasher.matches("correct hors", hash: weak))
    }

    @Test func `refuses those for whom there is no room, and does the others' work`() async throws {
        let hasher = try PasswordHasher(threads: 1, queueLimit: 1)
        defer { hasher.stop() }

        let errors = await withTaskGroup(of: PasswordHasherError?.self) { group in
            for _ in 0..<32 {
                group.addTask {
                    do {
                        _ = try await hasher.hash("correct horse")
                        return nil
                    } catch {
                        return error as? PasswordHasherError ?? .stopped
                    }
                }
            }
            return await group.reduce(into: [PasswordHasherError?]()) { $0.append($1) }
        }

        #expect(errors.count == 32)
        #expect(errors.allSatisfy { $0 == nil || $0 == .queueFull })
        #expect(errors.contains(nil) && errors.contains(.queueFull))
        #expect(try await hasher.matches("a", hash: nil) == false)
    }

    @Test func `takes no more after it has stopped`() async throws {
        let hasher = try PasswordHasher(threads: 2, queueLimit: 8)

        hasher.stop()

        await #expect(throws: PasswordHasherError.stopped) { try await hasher.hash("a") }
    }
}
