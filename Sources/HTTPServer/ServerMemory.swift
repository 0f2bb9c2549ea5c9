import HTTP
import Threads

/// What the connections of all loops may hold together.
final class ServerMemory: Sendable {
    let requests: RequestBudget
    let responses: ResponseBudget
    private let notices = Mutex(Notices())

    private struct Notices {
        /// The responses that were given up before the last notice.
        var counted = 0
        /// When the next notice may be, in ms of the loops' clock.
        var next = Int64.min
    }

    /// How long there is no other notice after one, in ms.
    private static let noticeMilliseconds: Int64 = 10_000

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

    /// Returns how many responses were given up since this last returned a number, which it does at
    /// most once in 10 s; nil if there are none.
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
