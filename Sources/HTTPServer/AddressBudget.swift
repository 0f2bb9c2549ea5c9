import HTTP
import System

/// A counter of what clients use, such as connections, with limits on the total and on each
/// address.
final class AddressBudget: Sendable {
    /// The limit that rejects a client.
    enum Refusal: Error {
        case full, addressFull
        /// The system lacks descriptors or memory; the client waits.
        case systemFull

        /// A sentence for a client without a connection.
        var connectionMessage: String {
            self == .addressFull
                ? "Your address has too many open connections. Close some of them."
                : "The server has no room for another connection. Try again in a moment."
        }

        /// A sentence for a client whose request needs memory.
        var requestMessage: String {
            self == .addressFull
                ? "Your address has too many unfinished requests. Finish some, then try again."
                : "The server has no memory left for this request. Try again in a moment."
        }
    }

    private struct State {
        var total = 0
        var increases = 0
        var refused: [Refusal: Int] = [:]
        /// Has only addresses that use something, so that there are not more entries than
        /// connections.
        var byAddress: [IPAddress: Int] = [:]
    }

    private let state = Mutex(State())
    private let limit: Int
    private let limitPerAddress: Int
    private let proxies: [IPNetwork]

    /// Creates a budget with these limits; the second one doesn't apply to addresses in `proxies`.
    init(limit: Int, limitPerAddress: Int = .max, proxies: [IPNetwork] = []) {
        self.limit = limit
        self.limitPerAddress = limitPerAddress
        self.proxies = proxies
    }

    /// The amount in use.
    var total: Int { state.withLock { $0.total } }
    /// Whether the total limit is reached.
    var isFull: Bool { total >= limit }
    /// The number of times that a client has got more since the start.
    var increases: Int { state.withLock { $0.increases } }

    /// Returns the number of clients that a limit has rejected since the start.
    func refused(_ refusal: Refusal) -> Int { state.withLock { $0.refused[refusal, default: 0] } }

    /// Counts a rejected client.
    func noteRefusal(_ refusal: Refusal) {
        state.withLock { $0.refused[refusal, default: 0] &+= 1 }
    }

    /// Changes the amount that is counted for a client.
    ///
    /// - Parameters:
    ///   - old: The amount that is counted for the client.
    ///   - new: The amount that it uses now.
    ///   - client: The client's address; nil if many clients share it.
    /// - Throws: `Refusal`, with nothing changed, if `new` exceeds both `old` and a limit.
    func change(from old: Int, to new: Int, for client: IPAddress?) throws(Refusal) {
        let refusal = state.withLock { state -> Refusal? in
            let total = state.total - old + new
            let ofClient = client.map { state.byAddress[$0, default: 0] - old + new }
            if new > old {
                if total > limit { return .full }
                if ofClient ?? 0 > limitPerAddress { return .addressFull }
                state.increases &+= 1
            }
            state.total = total
            if let client, let ofClient {
                state.byAddress[client] = ofClient > 0 ? ofClient : nil
            }
            return nil
        }
        if let refusal { throw refusal }
    }

    /// Returns the address that a connection counts for, or nil if many clients share it.
    func client(_ address: IPAddress?) -> IPAddress? {
        guard let address, !proxies.contains(where: { $0.contains(address) }) else { return nil }
        return address.client
    }
}

/// The error for a request that exceeds a memory budget, with what is known of the request.
struct RequestWithoutRoom: Error {
    /// A sentence for the client.
    let message: String
    let request: Request?
}
