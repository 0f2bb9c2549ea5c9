import Rules
import Model
import System
import Testing
import Time

@testable import SignIn

/// When keys are fetched, with clocks and a key server that the tests move.
@Suite struct KeyCacheTests {
    private let world = World()

    @Test func `keeps keys when a fetch fails, for 24 hours`() async throws {
        let verifier = try world.verifier()
        verifier.refresh()
        world.fail()
        world.advance(hours: 2)
        verifier.refresh()

        #expect(world.fetches == 2)
        #expect(try await verifier.verify(world.token, nonce: nil).subject == "ana-1")
        #expect(verifier.statuses.first?.error == "the server is gone")
        #expect(verifier.statuses.first?.ageSeconds == 7200)

        world.advance(hours: 22)
        try verifier.start()
        defer { verifier.stop() }
        await #expect(throws: World.missingKeys) {
            try await verifier.verify(world.token, nonce: nil)
        }
    }

    @Test(arguments: [#"{"keys":[]}"#, "{}", "[]", "<html>", ""])
    func `keeps keys when the server sends none`(document: String) async throws {
        let verifier = try world.verifier()
        verifier.refresh()
        world.serve(Array(document.utf8))
        world.advance(hours: 2)
        verifier.refresh()

        #expect(verifier.statuses.first?.failures == 1)
        #expect(try await verifier.verify(world.token, nonce: nil).subject == "ana-1")
    }

    @Test func `removes a withdrawn key at the next fetch`() async throws {
        let verifier = try world.verifier()
        verifier.refresh()
        world.serve(try World.document(without: "r1"))
        world.advance(minutes: 67)
        verifier.refresh()
        try verifier.start()
        defer { verifier.stop() }

        await #expect(throws: ModelError.unknownKey) {
            try await verifier.verify(world.token, nonce: nil)
        }
    }

    @Test func `fetches as often as the setting says, give or take 10 %`() throws {
        let verifier = try world.verifier()
        verifier.refresh()
        world.advance(minutes: 53)
        verifier.refresh()
        #expect(world.fetches == 1)

        world.advance(minutes: 14)
        verifier.refresh()
        #expect(world.fetches == 2)
    }

    @Test func `retries after 30 s, 1 min, 2 min and so on, up to the setting`() throws {
        let verifier = try world.verifier()
        world.fail()
        var waits: [Int64] = []
        for _ in 0..<9 {
            verifier.refresh()
            let wait = verifier.millisecondsUntilDue
            waits.append(wait / 1000)
            world.advance(seconds: wait / 1000)
        }

        #expect(waits == [30, 60, 120, 240, 480, 960, 1920, 3600, 3600])
        #expect(world.fetches == 9)
    }

    @Test func `fetches once in 30 s for any number of unknown keys`() async throws {
        let verifier = try world.verifier()
        verifier.refresh()
        try verifier.start()
        defer { verifier.stop() }
        let unknown = try #require(Vectors.rows.first { $0.name == "unknown kid" }?.id_token)

        for round in 1...3 {
            for _ in 0..<(round == 1 ? 10_000 : 10) {
                await #expect(throws: ModelError.unknownKey) {
                    try await verifier.verify(unknown, nonce: nil)
                }
            }
            #expect(world.fetches == 1 + round)
            world.advance(seconds: 30)
        }
        #expect(try await verifier.verify(world.token, nonce: nil).subject == "ana-1")
    }

    @Test func `counts the 30 s from a failed fetch, too`() async throws {
        let verifier = try world.verifier()
        verifier.refresh()
        world.fail()
        try verifier.start()
        defer { verifier.stop() }
        let unknown = try #require(Vectors.rows.first { $0.name == "unknown kid" }?.id_token)

        await #expect(throws: World.missingKeys) {
            try await verifier.verify(unknown, nonce: nil)
        }
        await #expect(throws: ModelError.unknownKey) {
            try await verifier.verify(unknown, nonce: nil)
        }
        #expect(world.fetches == 2)
    }

    @Test func `finds a new key by its first token`() async throws {
        world.serve(try World.document(without: "r1"))
        let verifier = try world.verifier()
        verifier.refresh()
        world.serve(try World.document(without: "none"))
        try verifier.start()
        defer { verifier.stop() }

        #expect(try await verifier.verify(world.token, nonce: nil).subject == "ana-1")
        #expect(world.fetches == 2)
    }

    @Test func `lets 64 requests wait for the first fetch, and answers the others`() async throws {
        let verifier = try world.verifier()
        let token = world.token
        let results = await withTaskGroup { group in
            for _ in 0..<70 {
                group.addTask {
                    (try? await verifier.verify(token, nonce: nil)) != nil
                }
            }
            // The first six that end are those for which there was no place.
            var results: [Bool] = []
            for _ in 0..<6 { results.append(await group.next() ?? true) }
            verifier.refresh()
            for await result in group { results.append(result) }
            return results
        }

        #expect(results.prefix(6).allSatisfy { !$0 })
        #expect(results.dropFirst(6).allSatisfy { $0 })
        #expect(world.fetches == 1)
    }
}

/// A key server and a clock.
private final class World: Sendable {
    static let issuer = "https://issuer.example"
    static let missingKeys = ModelError.postponed(
        reason: "The keys of https://issuer.example can't be fetched. Try again in a moment.",
        seconds: 30
    )

    private struct State {
        var uptime: Int64 = 0
        var document: [UInt8]?
        var fetches = 0
    }

    private let state = Mutex(State())
    /// A token of the key r1.
    let token = Vectors.rows.first?.id_token ?? ""

    init() {
        serve((try? Self.document(without: "none")) ?? [])
    }

    var fetches: Int { state.withLock { $0.fetches } }

    func serve(_ document: [UInt8]) { state.withLock { $0.document = document } }

    func fail() { state.withLock { $0.document = nil } }

    func advance(hours: Int64 = 0, minutes: Int64 = 0, seconds: Int64 = 0) {
        state.withLock { $0.uptime += ((hours * 60 + minutes) * 60 + seconds) * 1000 }
    }

    func verifier() throws -> IDTokenVerifier {
        try IDTokenVerifier(
            Issuer.list("\(Self.issuer) app-1 https://issuer.example/keys"),
            refreshMinutes: 60,
            fetch: { [self] _ throws(KeyError) in
                let document = state.withLock { state in
                    state.fetches += 1
                    return state.document
                }
                guard let document else { throw KeyError("the server is gone") }
                return document
            },
            now: { Vectors.now },
            uptime: { [self] in state.withLock { $0.uptime } }
        )
    }

    /// Returns the issuer's key set with another name for a key.
    static func document(without kid: String) throws -> [UInt8] {
        let document = try #require(Vectors.documents()[issuer])
        let text = String(decoding: document, as: UTF8.self)
        return Array(text.replacing("\"\(kid)\"", with: "\"other\"").utf8)
    }
}
