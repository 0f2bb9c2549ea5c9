import HTTP
import System

/// A counter of the open connections of all loops, with limits on the total and on each address.
final class ConnectionCount: Sendable {
    /// The limit that rejects a connection.
    enum Refusal: Error {
        case full
        case addressFull

        /// A sentence for the client.
        var message: String {
            switch self {
            case .full: "The server has no room for another connection. Try again in a moment."
            case .addressFull: "Your address has too many open connections. Close some of them."
            }
        }
    }

    private struct State {
        var total = 0
        var accepted = 0
        var refused: [Refusal: Int] = [:]
        var acceptFailures = 0
        /// Has only addresses with connections, so that there are not more entries than those.
        var byAddress: [IPAddress: Int] = [:]
    }

    private let state = Mutex(State())
    private let limit: Int
    private let limitPerAddress: Int
    private let proxies: [IPNetwork]

    /// Creates a count with these limits; the second one doesn't apply to addresses in `proxies`.
    init(limit: Int, limitPerAddress: Int = .max, proxies: [IPNetwork] = []) {
        self.limit = limit
        self.limitPerAddress = limitPerAddress
        self.proxies = proxies
    }

    /// The number of open connections.
    var value: Int { state.withLock { $0.total } }
    /// Whether the total limit is reached.
    var isFull: Bool { value >= limit }
    /// The number of connections that were counted since the start.
    var accepted: Int { state.withLock { $0.accepted } }
    /// Returns the number of connections that this limit has rejected since the start.
    func refused(_ refusal: Refusal) -> Int { state.withLock { $0.refused[refusal, default: 0] } }

    /// The number of times since the start that the system could not accept another connection.
    var acceptFailures: Int { state.withLock { $0.acceptFailures } }

    /// Counts one more connection, and throws if a limit is reached.
    func increment(_ address: IPAddress?) throws(Refusal) {
        let client = client(address)
        let refusal = state.withLock { state -> Refusal? in
            let count = client.map { state.byAddress[$0, default: 0] } ?? 0
            guard state.total < limit, client == nil || count < limitPerAddress else {
                return state.total < limit ? .addressFull : .full
            }
            if let client { state.byAddress[client] = count + 1 }
            state.total += 1
            state.accepted &+= 1
            return nil
        }
        if let refusal { throw refusal }
    }

    /// Counts a rejected connection.
    func noteRefusal(_ refusal: Refusal) {
        state.withLock { $0.refused[refusal, default: 0] &+= 1 }
    }

    /// Counts a connection that the system could not accept.
    func noteAcceptFailure() {
        state.withLock { $0.acceptFailures &+= 1 }
    }

    /// Undoes `increment`.
    func decrement(_ address: IPAddress?) {
        let client = client(address)
        state.withLock { state in
            state.total -= 1
            guard let client, let count = state.byAddress[client] else { return }
            state.byAddress[client] = count > 1 ? count - 1 : nil
        }
    }

    /// Returns the address that a connection counts for, or nil if many clients share it.
    func client(_ address: IPAddress?) -> IPAddress? {
        guard let address, !proxies.contains(where: { $0.contains(address) }) else { return nil }
        return address.client
    }
}
