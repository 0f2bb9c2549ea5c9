import HTTP
import System

/// A counter of the memory of requests without a response, with limits on the total and on each
/// address.
///
/// It counts memory in use, and not the announced `Content-Length`. Up to `freeBytes` of a
/// connection are not counted, so that small requests never wait for a lock and are served when the
/// limit is reached. The limit on connections bounds them.
final class RequestBudget: Sendable {
    /// The limit that rejects a request.
    enum Refusal: Error {
        case full
        case addressFull

        /// A sentence for the client.
        var message: String {
            switch self {
            case .full:
                "The server has no memory left for this request. Try again in a moment."
            case .addressFull:
                "Your address has too many unfinished requests. Finish some, then try again."
            }
        }
    }

    /// The memory of a connection that is not counted, in bytes.
    static let freeBytes = 4096

    private struct State {
        var total = 0
        var refusals = 0
        /// Has only addresses that use memory, so that there are not more entries than connections.
        var byAddress: [IPAddress: Int] = [:]
    }

    private let state = Mutex(State())
    private let limit: Int
    private let limitPerAddress: Int

    /// Creates a budget of `limit` bytes, and `limitPerAddress` bytes for each address.
    init(limit: Int, limitPerAddress: Int) {
        self.limit = limit
        self.limitPerAddress = limitPerAddress
    }

    /// The bytes in use.
    var bytes: Int { state.withLock { $0.total } }
    /// The number of requests that were rejected since the start.
    var refusals: Int { state.withLock { $0.refusals } }

    /// Changes the bytes that are counted for a connection.
    ///
    /// - Parameters:
    ///   - old: The bytes that are counted for the connection.
    ///   - new: The bytes that it uses now.
    ///   - address: The client's address; nil if many clients share it.
    /// - Throws: `Refusal`, with nothing changed, if `new` exceeds both `old` and a limit.
    func change(from old: Int, to new: Int, for address: IPAddress?) throws(Refusal) {
        let refusal = state.withLock { state -> Refusal? in
            let total = state.total - old + new
            let ofAddress = address.map { state.byAddress[$0, default: 0] - old + new }
            if new > old {
                let isFull = total > limit
                if isFull || ofAddress ?? 0 > limitPerAddress {
                    state.refusals &+= 1
                    return isFull ? .full : .addressFull
                }
            }
            state.total = total
            if let address, let ofAddress {
                state.byAddress[address] = ofAddress > 0 ? ofAddress : nil
            }
            return nil
        }
        if let refusal { throw refusal }
    }
}

/// The error for a request that exceeds a memory budget, with what is known of the request.
struct RequestWithoutRoom: Error {
    /// A sentence for the client.
    let message: String
    let request: Request?
}
