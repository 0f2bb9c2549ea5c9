@testable import HTTP
import Model
import Testing

@testable import Web

@Suite struct RequestLimiterTests {
    @Test func `counts reports with one token, and those from one address`() throws {
        var limits = RateLimits()
        limits.report = RateLimit(within: 2, per: .hour)
        let limiter = RequestLimiter(limits, proxies: [])
        let requests = ["203.0.113.1", "203.0.113.2", "203.0.113.3"].map { address in
            var request = Request(method: .post, path: "/v1/events/1/reports")
            request.peerAddress = IPAddress(address)
            return request
        }
        let tokens = (0..<3).map { TokenDigest(bytes: [UInt8](repeating: $0, count: 32)) }

        func admits(_ request: Int, _ token: Int) -> Bool {
            (try? limiter.admitReport(requests[request], tokens[token])) != nil
        }
        #expect(admits(0, 0) && admits(0, 1))
        #expect(!admits(0, 2), "the address has no more reports")
        #expect(admits(1, 0))
        #expect(!admits(2, 0), "the token has no more reports")
        #expect(admits(1, 2))
        #expect(throws: RequestError.self) { try limiter.admitReport(requests[0], tokens[2]) }
    }
}
