import Threads

/// Counts the requests of each of many clients against one limit, in memory of fixed size.
///
/// It is the generic cell rate algorithm (ITU-T I.371, annex A): for each client only the time is
/// kept at which all its requests will have been given back. A client whose time has passed is
/// forgotten at no loss. When a place has to be found for a new client among others that are all
/// still counted, the one that has the least to wait for is forgotten.
package final class RateLimiter: Sendable {
    /// Why a request has to wait.
    package struct Refusal: Error, Equatable, Sendable {
        /// What the limiter is called.
        package let name: String
        /// The limit that it goes beyond.
        package let limit: RateLimit
        /// The time until the next request will be let through, in µs.
        package let waitMicroseconds: Int64

        package init(name: String, limit: RateLimit, waitMicroseconds: Int64) {
            self.name = name
            self.limit = limit
            self.waitMicroseconds = waitMicroseconds
        }
    }

    private struct Place {
        var client: UInt64 = 0
        /// When all requests will have been given back, in µs; 0 where the place is free.
        var recovery: Int64 = 0
    }

    /// Threads that ask for different clients seldom meet in one of so many.
    private static let shardBits: UInt64 = 6
    /// A client has its place among so many.
    private static let ways = 8

    private let name: String
    private let limit: RateLimit
    private let shards: MutexArray<[Place]>
    private let groupCount: UInt64

    /// A limiter that keeps count of at least so many clients, in 16 bytes for each; `name` is for
    /// those who are refused.
    package init(_ name: String, _ limit: RateLimit, clients: Int = 65_536) {
        self.name = name
        self.limit = limit
        let shardCount = 1 << Int(Self.shardBits)
        let perShard = max(1, clients / shardCount)
        let groups = (perShard + Self.ways - 1) / Self.ways
        groupCount = UInt64(groups)
        shards = MutexArray(count: shardCount) {
            Array(repeating: Place(), count: groups * Self.ways)
        }
    }

    /// Counts a request of a client, or throws if it has to wait; what is refused is not counted.
    ///
    /// - Parameters:
    ///   - client: A number that is spread evenly over all 64 bits, as hashes are.
    ///   - now: A time in µs that never goes back, greater than 0.
    /// - Throws: `Refusal`.
    package func admit(client: UInt64, now: Int64) throws(Refusal) {
        let first = Int(client % groupCount) * Self.ways
        let wait = shards.withLock(at: Int(client >> (64 - Self.shardBits))) { places in
            admit(client, now, &places, group: first..<first + Self.ways)
        }
        if let wait { throw Refusal(name: name, limit: limit, waitMicroseconds: wait) }
    }

    /// The time to wait in µs; nil if the request is let through.
    private func admit(
        _ client: UInt64,
        _ now: Int64,
        _ places: inout [Place],
        group: Range<Int>
    ) -> Int64? {
        var chosen = group.lowerBound
        for index in group {
            if places[index].client == client {
                chosen = index
                break
            }
            if places[index].recovery < places[chosen].recovery { chosen = index }
        }
        let isKnown = places[chosen].client == client
        let recovery = max(now, isKnown ? places[chosen].recovery : 0) &+ limit.interval
        let excess = recovery &- now &- limit.window
        if excess > 0 { return excess }
        places[chosen] = Place(client: client, recovery: recovery)
        return nil
    }
}
