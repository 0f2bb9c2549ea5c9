import System

/// A counter of the requests of many clients against one limit, in memory of fixed size.
///
/// It uses the generic cell rate algorithm (ITU-T I.371, annex A). For each client, it stores only
/// the time at which all its requests will have been given back. After that time, the entry is no
/// longer needed. If a new client finds no unused entry, the one closest to that time is replaced.
package final class RateLimiter: Sendable {
    /// The error for a request that exceeds the limit.
    package struct Refusal: Error, Equatable, Sendable {
        /// The name of the limiter.
        package let name: String
        /// The limit that was exceeded.
        package let limit: RateLimit
        /// The time until the next request is admitted, in µs.
        package let waitMicroseconds: Int64
    }

    private struct Place {
        var client: UInt64 = 0
        /// When all requests will have been given back, in µs; 0 for an unused entry.
        var recovery: Int64 = 0
    }

    /// The number of entries that a client can use.
    private static let ways = 8

    private let name: String
    private let limit: RateLimit
    private let places: Mutex<[Place]>
    private let groupCount: UInt64

    /// Creates a limiter for at least this many clients, with 16 bytes for each.
    ///
    /// Errors contain `name`.
    package init(_ name: String, _ limit: RateLimit, clients: Int = 65_536) {
        self.name = name
        self.limit = limit
        let groups = (max(1, clients) + Self.ways - 1) / Self.ways
        groupCount = UInt64(groups)
        places = Mutex(Array(repeating: Place(), count: groups * Self.ways))
    }

    /// Counts a client's request, or throws if it must wait; rejected requests don't count.
    ///
    /// - Parameters:
    ///   - client: A hash, or another number that is evenly distributed over 64 bits.
    ///   - now: A monotonic time in µs, greater than 0.
    /// - Throws: `Refusal`.
    package func admit(client: UInt64, now: Int64) throws(Refusal) {
        let first = Int(client % groupCount) * Self.ways
        let wait = places.withLock { places in
            admit(client, now, &places, group: first..<first + Self.ways)
        }
        if let wait { throw Refusal(name: name, limit: limit, waitMicroseconds: wait) }
    }

    /// Returns the time to wait in µs, or nil if the request is admitted.
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
