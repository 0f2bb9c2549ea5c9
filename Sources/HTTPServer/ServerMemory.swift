import HTTP
import System

/// The memory budgets of the connections of all loops.
final class ServerMemory: Sendable {
    /// The memory of requests without a response, in bytes.
    ///
    /// It counts memory in use, and not the announced `Content-Length`.
    let requests: AddressBudget
    let responses: ResponseBudget
    private let notices = Mutex(Notices())

    private struct Notices {
        /// The responses that were dropped before the last notice.
        var counted = 0
        /// The earliest time of the next notice, in ms of the loops' clock.
        var next = Int64.min
    }

    /// The minimum interval between two notices, in ms.
    private static let noticeMilliseconds: Int64 = 10_000

    /// Creates budgets with these limits, but always with room for one request of maximum size.
    init(_ limits: Limits) {
        // An array that grows doubles its capacity.
        let largestRequest = 2 * (limits.headBytes + limits.bodyBytes)
        requests = AddressBudget(
            limit: max(limits.requestMegabytes << 20, largestRequest),
            limitPerAddress: max(limits.requestMegabytesPerAddress << 20, largestRequest)
        )
        responses = ResponseBudget(
            limit: limits.responseMegabytes << 20,
            stallMilliseconds: Int64(limits.stallMilliseconds)
        )
    }

    /// Returns the number of responses that were dropped since the last number, or nil.
    ///
    /// It returns a number at most once in 10 s.
    func newlyGivenUp(now: Int64) -> Int? {
        let givenUp = responses.givenUp
        return notices.withLock { notices in
            guard givenUp > notices.counted, now >= notices.next else { return nil }
            defer { notices.counted = givenUp }
            notices.next = now + Self.noticeMilliseconds
            return givenUp - notices.counted
        }
    }
}
