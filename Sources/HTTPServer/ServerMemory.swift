import CLinux
import HTTP
import Threads

/// What the connections of all loops may hold together.
final class ServerMemory: Sendable {
    let requests: RequestBudget
    let responses: ResponseBudget
    private let state = Mutex(State())

    private struct State {
        /// The most bytes that were held since memory was last given back to the system.
        var peak = 0
        /// How often it is still to be given back.
        var trims = 0
        /// The responses that were given up before the last notice.
        var noticed = 0
        /// When the next notice may be, in ms of the loops' clock.
        var nextNotice = Int64.min
    }

    /// How long there is no other notice after one, in ms.
    private static let noticeMilliseconds: Int64 = 10_000

    /// So much less than at the peak, in bytes, is worth to give memory back.
    private static let worthwhileBytes = 8 << 20
    /// What one loop frees while another gives memory back is given back the next time.
    private static let trims = 3

    /// Budgets of these limits, but never of less than one request of the largest size.
    init(_ limits: Limits) {
        // Each growth of an array doubles it.
        let largestRequest = 2 * (limits.headBytes + limits.bodyBytes)
        requests = RequestBudget(
            limit: max(limits.requestMegabytes << 20, largestRequest),
            limitPerAddress: max(limits.requestMegabytesPerAddress << 20, largestRequest)
        )
        responses = ResponseBudget(limit: limits.responseMegabytes << 20)
    }

    /// Gives memory back to the system once much less is held than before; has to be called now and
    /// then, and may take some ms where it does.
    ///
    /// The C library keeps what is free between buffers that are in use (malloc_trim(3)).
    func trim() {
        let bytes = requests.bytes + responses.bytes
        let isDue = state.withLock { state in
            state.peak = max(state.peak, bytes)
            if state.peak - bytes > Self.worthwhileBytes {
                state.peak = bytes
                state.trims = Self.trims
            }
            defer { state.trims = max(0, state.trims - 1) }
            return state.trims > 0
        }
        if isDue { malloc_trim(0) }
    }

    /// Returns how many responses were given up since this last returned a number, which it does at
    /// most once in 10 s; nil if there are none.
    func newlyGivenUp(now: Int64) -> Int? {
        let givenUp = responses.givenUp
        return state.withLock { state in
            guard givenUp > state.noticed, now >= state.nextNotice else { return nil }
            defer { state.noticed = givenUp }
            state.nextNotice = now + Self.noticeMilliseconds
            return givenUp - state.noticed
        }
    }
}
