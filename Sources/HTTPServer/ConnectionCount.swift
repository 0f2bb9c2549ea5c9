import Addresses
import Threads

/// How many connections are open in all loops together and from each address, and the limits on
/// both.
final class ConnectionCount: Sendable {
    /// Why there is no room for a connection.
    enum Refusal: Error {
        case full
        case addressFull
    }

    private struct State {
        var total = 0
        var accepted = 0
        var refused: [Refusal: Int] = [:]
        var acceptFailures = 0
        /// Of the addresses that have any, so that there are no more entries than connections.
        var byAddress: [IPAddress: Int] = [:]
    }

    private let state = Mutex(State())
    private let limit: Int
    private let limitPerAddress: Int
    private let proxies: [IPNetwork]

    /// A count with these limits; the second does not hold for addresses in `proxies`.
    init(limit: Int, limitPerAddress: Int = .max, proxies: [IPNetwork] = []) {
        self.limit = limit
        self.limitPerAddress = limitPerAddress
        self.proxies = proxies
    }

    /// The connections that are open now.
    var value: Int { state.withLock { $0.total } }
    /// Whether there is no room for anybody.
    var isFull: Bool { value >= limit }
    /// The connections that were counted since the start.
    var accepted: Int { state.withLock { $0.accepted } }
    /// The connections that there was no room for since the start.
    func refused(_ refusal: Refusal) -> Int { state.withLock { $0.refused[refusal, default: 0] } }

    /// How often the system had no room for one more since the start.
    var acceptFailures: Int { state.withLock { $0.acceptFailures } }

    /// Counts one more connection; throws if a limit is reached.
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

    /// Counts a connection that there was no room for.
    func noteRefusal(_ refusal: Refusal) {
        state.withLock { $0.refused[refusal, default: 0] &+= 1 }
    }

    /// Counts that the system had no room for one more.
    func noteAcceptFailure() {
        state.withLock { $0.acceptFailures &+= 1 }
    }

    /// Takes back what `increment` counted.
    func decrement(_ address: IPAddress?) {
        let client = client(address)
        state.withLock { state in
            state.total -= 1
            guard let client, let count = state.byAddress[client] else { return }
            state.byAddress[client] = count > 1 ? count - 1 : nil
        }
    }

    /// The address that a connection counts for; nil where many clients share one.
    func client(_ address: IPAddress?) -> IPAddress? {
        guard let address, !proxies.contains(where: { $0.contains(address) }) else { return nil }
        return address.client
    }
}
