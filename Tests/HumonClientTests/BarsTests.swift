import Foundation
import Testing

@testable import HumonClient

private let address = ProcessInfo.processInfo.environment["HUMON_CLIENT_BARS"]

/// Prints what the client costs, and compares it with its limits.
///
/// See docs/testing.md.
@Suite(.enabled(if: address != nil, "Set HUMON_CLIENT_BARS to the URL of a test server."))
struct BarsTests {
    /// The memory of the process, in KiB.
    private static func memory() throws -> Int {
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let match = try #require(status.firstMatch(of: /VmRSS:\s+(\d+)/))
        return try #require(Int(match.1))
    }

    #if os(Linux)
    @Test func `takes 1 ms of the main actor for a page of 1,000 events`() async throws {
        let (call, decoding) = try await Screen().times(ofEvents: 1_000)

        print(
            "main actor, page of 1,000 events: \(call) ms, and \(decoding) ms of decoding elsewhere"
        )
        #expect(call <= 1)
    }
    #endif

    @Test func `parses 10 KiB at each split, and a million random streams`() throws {
        try ServerSentEventsTests().splitStream(copies: 58)
        try ServerSentEventsTests().parseRandomStreams(1_000_000)
    }

    @Test func `grows by 5 MB in 10,000 requests`() async throws {
        let url = try #require(address.flatMap(URL.init(string:)))
        let humon = HumonClient(HumonConfiguration(baseURL: url), tokens: MemoryTokenStore())
        for _ in 0..<1_000 { _ = try await humon.events.page(.all) }
        let start = try Self.memory()
        for _ in 0..<10_000 { _ = try await humon.events.page(.all) }
        let growth = try Self.memory() - start

        print("growth: \(growth) KiB")
        #expect(growth <= 5_000)
    }
}
