import Addresses
import Threads

/// The memory that requests without a response take on all connections together, and from each
/// address, with a limit on both.
///
/// It counts the memory that is in use, and not what a `Content-Length` announces. What a
/// connection holds below `freeBytes` is not counted, so that small requests never wait for a lock
/// and are served when the limit is reached; the limit on connections bounds them.
final class RequestBudget: Sendable {
    /// Why a request can't be held.
    enum Refusal: Error {
        case full
        case addressFull

        /// One sentence for the client.
        var message: String {
            switch self {
            case .full:
                "The server has no memory left for this request. Try again in a moment."
            case .addressFull:
                "Your address has too many unfinished requests. Finish some, then try again."
            }
        }
    }

    /// Bytes that a connection may hold without being counted.
    static let freeBytes = 4096

    private struct State {
        var total = 0
        var refusals = 0
        /// Of the addresses that hold any, so that there are no more entries than connections.
        var byAddress: [IPAddress: Int] = [:]
    }

    private let state = Mutex(State())
    private let limit: Int
    private let limitPerAddress: Int

    /// A budget of so many bytes; the second limit holds for each address.
    init(limit: Int, limitPerAddress: Int) {
        self.limit = limit
        self.limitPerAddress = limitPerAddress
    }

    /// The bytes that are held now.
    var bytes: Int { state.withLock { $0.total } }
    /// How many requests were rejected since the start.
    var refusals: Int { state.withLock { $0.refusals } }

    /// Changes what a connection is counted for.
    ///
    /// - Parameters:
    ///   - old: The bytes that the connection is counted for.
    ///   - new: The bytes that it holds.
    ///   - address: The client's address; nil where many clients share one.
    /// - Throws: `Refusal`, with nothing changed, if it is more than before and exceeds a limit.
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
