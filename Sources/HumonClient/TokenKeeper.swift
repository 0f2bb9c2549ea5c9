import Foundation

/// The token of one server, and the observers of its changes.
package final class TokenKeeper: Sendable {
    private struct State {
        var observers: [AsyncStream<SessionState>.Continuation] = []
        var countUnsentWrites: @Sendable (_ userID: Int64?) async -> Int = { _ in 0 }
    }

    private let store: any TokenStore
    private let key: TokenKey
    private let state = Locked(State())

    init(_ store: any TokenStore, _ key: TokenKey) {
        self.store = store
        self.key = key
    }

    /// Returns the token that requests send, or nil.
    func current() throws(HumonError) -> String? { try stored().current }

    /// Returns what is stored, or throws `tokenStore` if it can't be read now.
    package func stored() throws(HumonError) -> StoredToken {
        try access("read") { try store.token(for: key) } ?? StoredToken()
    }

    private func access<T>(_ verb: String, _ body: () throws -> T) throws(HumonError) -> T {
        do { return try body() } catch {
            throw HumonError(.tokenStore, "The token can't be \(verb) now: \(error)")
        }
    }

    /// Changes what is stored, one caller at a time, and notifies the observers.
    @discardableResult
    func update(_ change: (inout StoredToken) -> Void) throws(HumonError) -> StoredToken {
        try state.withLock { state throws(HumonError) in
            let old = try stored()
            var new = old
            change(&new)
            guard new != old else { return new }
            try access("stored") { try store.set(new == StoredToken() ? nil : new, for: key) }
            if SessionState(new) != SessionState(old) {
                state.observers.removeAll { observer in
                    if case .terminated = observer.yield(SessionState(new)) { true } else { false }
                }
            }
            return new
        }
    }

    /// Removes a token that has ended, unless another one has replaced it.
    func remove(_ token: String) throws(HumonError) {
        // The user stays known: what it writes until it signs in again is not another user's.
        try update { if $0.current == token { $0.current = nil } }
    }

    /// The number of writes that wait for the token's user.
    func unsentWrites() async throws(HumonError) -> Int {
        await state.withLock { $0.countUnsentWrites }(try stored().userID)
    }

    /// Sets the function that counts the writes of a user that wait.
    package func countUnsentWrites(_ count: @escaping @Sendable (Int64?) async -> Int) {
        state.withLock { $0.countUnsentWrites = count }
    }

    /// Returns the state now and each later one.
    package func states() -> AsyncStream<SessionState> {
        AsyncStream(bufferingPolicy: .bufferingNewest(16)) { continuation in
            state.withLock { state in
                state.observers.append(continuation)
                if let stored = try? stored() { continuation.yield(SessionState(stored)) }
            }
        }
    }
}

/// Whether the device has a token.
public enum SessionState: Hashable, Sendable {
    /// The device has no token.
    case signedOut
    /// The device has a token of this user.
    case signedIn(userID: Int64?)

    init(_ stored: StoredToken) {
        self = stored.current == nil ? .signedOut : .signedIn(userID: stored.userID)
    }
}
