import Foundation
import Testing

@testable import HumonClient

/// The token of one server.
@Suite struct TokenKeeperTests {
    /// A store that fails while it is locked, and records what it stores.
    private final class LockedStore: TokenStore {
        struct Failure: Error {}

        let stored = Locked<(tokens: [StoredToken?], isLocked: Bool)>(([], false))

        func token(for key: TokenKey) throws -> StoredToken? {
            try stored.withLock { state in
                if state.isLocked { throw Failure() }
                return state.tokens.last ?? nil
            }
        }

        func set(_ token: StoredToken?, for key: TokenKey) throws {
            try stored.withLock { state in
                if state.isLocked { throw Failure() }
                state.tokens.append(token)
            }
        }
    }

    private let store = LockedStore()

    /// A client of a server that can't be reached.
    private func client() throws -> HumonClient {
        let url = try #require(URL(string: "http://127.0.0.1:1"))
        return HumonClient(HumonConfiguration(baseURL: url, retry: .never), tokens: store)
    }

    @Test func `removes the carried token alone`() throws {
        let keeper = try client().transport.tokens
        try keeper.update { $0 = StoredToken(current: "new", pending: "p", userID: 1) }

        try keeper.remove("old")
        #expect(try keeper.current() == "new")
        try keeper.remove("new")
        // A user whose token has ended stays known.
        #expect(try keeper.stored() == StoredToken(pending: "p", userID: 1))
    }

    @Test func `never takes a locked store for a signed-out one`() async throws {
        let humon = try client()
        try humon.transport.tokens.update { $0.current = "a" }
        store.stored.withLock { $0.isLocked = true }
        var kinds: [HumonError.Kind?] = []

        kinds.append(#expect(throws: HumonError.self) { try humon.session.hasToken }?.kind)
        kinds.append(
            await #expect(throws: HumonError.self) { try await humon.events.event(1) }?.kind
        )
        kinds.append(
            await #expect(throws: HumonError.self) { try await humon.session.signUp() }?.kind
        )
        kinds.append(
            await #expect(throws: HumonError.self) { try await humon.users.deleteMe() }?.kind
        )
        kinds.append(
            await #expect(throws: HumonError.self) { try await humon.session.signOut() }?.kind
        )
        store.stored.withLock { $0.isLocked = false }

        #expect(kinds == Array(repeating: .tokenStore, count: 5))
        #expect(try humon.session.hasToken)
    }

    @Test func `stores the token of a sign-in before it is sent, and sends it again`() async throws
    {
        let humon = try client()

        _ = try? await humon.session.signIn(idToken: "x")
        let pending = try humon.transport.tokens.stored().pending
        _ = try? await humon.session.signIn(idToken: "x")
        _ = try? await humon.session.signUp()

        #expect(pending != nil)
        #expect(store.stored.withLock { $0.tokens } == [StoredToken(pending: pending)])
        #expect(try !humon.session.hasToken)
    }

    @Test func `tells each change of the state to all`() async throws {
        let humon = try client()
        let keeper = humon.transport.tokens
        let streams = [humon.session.states, humon.session.states]
        var dropped =
            humon.session.states.makeAsyncIterator() as AsyncStream<SessionState>.Iterator?
        _ = await dropped?.next()
        dropped = nil

        try keeper.update { $0.pending = "p" }
        try keeper.update { $0 = StoredToken(current: "a", userID: 1) }
        try keeper.update { $0.current = "rotated" }
        try keeper.update { $0 = StoredToken(current: "b", userID: 2) }
        try keeper.remove("b")
        let late = humon.session.states

        let expected: [SessionState] = [
            .signedOut, .signedIn(userID: 1), .signedIn(userID: 2), .signedOut,
        ]
        for stream in streams {
            var states: [SessionState] = []
            for await state in stream.prefix(4) { states.append(state) }
            #expect(states == expected)
        }
        for await state in late.prefix(1) { #expect(state == .signedOut) }
    }

    @Test func `changes one after another`() async throws {
        let keeper = try client().transport.tokens
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<2_000 { try keeper.update { $0.userID = ($0.userID ?? 0) + 1 } }
                }
            }
            try await group.waitForAll()
        }
        #expect(try keeper.stored().userID == 16_000)
    }

    @Test func `signs out of nothing`() async throws {
        let humon = try client()
        try await humon.session.signOut()

        #expect(
            await #expect(throws: HumonError.self) { try await humon.users.me() }?.kind == .noToken
        )
        let error = await #expect(throws: HumonError.self) { try await humon.users.deleteMe() }
        #expect(error?.kind == .noToken)
    }

    @Test func `keeps the writes of an outbox`() async throws {
        let humon = try client()
        try humon.transport.tokens.update { $0.current = "a" }
        humon.transport.tokens.countUnsentWrites { _ in 3 }

        let error = await #expect(throws: HumonError.self) {
            try await humon.session.signOut(losingUser: true)
        }

        #expect(error?.kind == .unsentWrites)
        #expect(error?.unsentWrites == 3)
        #expect(try humon.session.hasToken)
    }
}
