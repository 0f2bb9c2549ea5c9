@testable import HTTP
import Testing

@Suite struct RateLimiterTests {
    private static let second: Int64 = 1_000_000

    /// A number such as a hash is.
    private static func client(_ number: UInt64) -> UInt64 { number &* 0x9E37_79B9_7F4A_7C15 }

    private static func isAdmitted(
        _ number: UInt64,
        at now: Int64,
        by limiter: RateLimiter
    ) -> Bool {
        (try? limiter.admit(client: client(number), now: now)) != nil
    }

    @Test func `lets a whole limit through at once, and says how long the next has to wait`() {
        let limiter = RateLimiter("token", RateLimit(within: 60, per: .minute))
        let now = 5 * Self.second

        let admitted = (0..<60).count { _ in Self.isAdmitted(1, at: now, by: limiter) }

        #expect(admitted == 60)
        let refusal = RateLimiter.Refusal(
            name: "token",
            limit: RateLimit(within: 60, per: .minute),
            waitMicroseconds: Self.second
        )
        #expect(throws: refusal) { try limiter.admit(client: Self.client(1), now: now) }
    }

    @Test func `gives requests back evenly, and never more than the limit`() {
        let limiter = RateLimiter("", RateLimit(within: 60, per: .minute))
        var now = Self.second
        for _ in 0..<60 { _ = Self.isAdmitted(1, at: now, by: limiter) }

        now += Self.second - 1
        #expect(!Self.isAdmitted(1, at: now, by: limiter))
        now += 1
        #expect(Self.isAdmitted(1, at: now, by: limiter))
        #expect(!Self.isAdmitted(1, at: now, by: limiter))
        now += 3600 * Self.second
        #expect((0..<100).count { _ in Self.isAdmitted(1, at: now, by: limiter) } == 60)
    }

    @Test func `does not count what it refuses`() {
        let limiter = RateLimiter("", RateLimit(within: 1, per: .second))
        #expect(Self.isAdmitted(1, at: Self.second, by: limiter))

        for _ in 0..<100 { #expect(!Self.isAdmitted(1, at: Self.second + 1, by: limiter)) }

        #expect(Self.isAdmitted(1, at: 2 * Self.second, by: limiter))
    }

    @Test func `counts each client by itself`() {
        let limiter = RateLimiter("", RateLimit(within: 1, per: .second))

        for number in 1...10_000 {
            #expect(Self.isAdmitted(UInt64(number), at: Self.second, by: limiter))
        }
        let again = (1...10_000).count { number in
            Self.isAdmitted(UInt64(number), at: Self.second, by: limiter)
        }

        #expect(again == 0)
    }

    @Test func `forgets whoever has least to wait for when there is no room`() {
        let limiter = RateLimiter("", RateLimit(within: 10, per: .hour), clients: 1)
        // The only group.
        let clients = (0..<9).map { UInt64($0 + 1) }
        for client in clients.prefix(8) {
            for _ in 0..<(client == 3 ? 1 : 10) {
                _ = try? limiter.admit(client: client, now: Self.second)
            }
        }

        _ = try? limiter.admit(client: clients[8], now: Self.second)

        let refused = clients.prefix(8).filter { client in
            (try? limiter.admit(client: client, now: Self.second)) == nil
        }
        #expect(refused == [1, 2, 4, 5, 6, 7, 8])
    }

    @Test(arguments: ["1/s", "600/m", "1000000/h"])
    func `reads a limit and writes it again`(text: String) {
        #expect(RateLimit(text)?.description == text)
    }

    @Test(arguments: ["", "5", "/s", "0/s", "1000001/s", "-1/s", "1/d", "1/s/s", "1.5/s", "1 /s"])
    func `takes nothing else for a limit`(text: String) {
        #expect(RateLimit(text) == nil)
    }
}
