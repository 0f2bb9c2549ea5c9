import Foundation
import Testing

@testable import HumonClient

private let address = ProcessInfo.processInfo.environment["HUMON_CLIENT_BARS"]

/// Prints what the client costs, and compares it with its limits.
///
/// See docs/testing.md.
@Suite(.enabled(if: address != nil, "Set HUMON_CLIENT_BARS to the URL of a test server."))
struct BarsTests {
    /// The time of the processor, in ms.
    private static func processorTime() -> Double {
        Double(clock()) * 1000 / Double(CLOCKS_PER_SEC)
    }

    /// The memory of the process, in KiB.
    private static func memory() throws -> Int {
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let match = try #require(status.firstMatch(of: /VmRSS:\s+(\d+)/))
        return try #require(Int(match.1))
    }

    private static func milliseconds(_ call: () throws -> Void) rethrows -> Double {
        let start = processorTime()
        for _ in 0..<100 { try call() }
        return (processorTime() - start) / 100
    }

    @Test func `decodes in four times the time of JSONSerialization`() throws {
        // The test library makes errors ten times dearer, by which the type of each value in `data`
        // is found.
        let event = DecodingTests.most.replacing(#""data":{"a":[true,null]},"#, with: "")
        let events = Array(repeating: event, count: 100).joined(separator: ",")
        let page = Data(#"{"events":[\#(events)],"next":"c"}"#.utf8)
        let reply = Reply(body: page)

        let plain = try Self.milliseconds { _ = try JSONSerialization.jsonObject(with: page) }
        let ours = try Self.milliseconds { _ = try reply.decode(EventPage.self) }

        print("page of 100 events: \(ours) ms, JSONSerialization: \(plain) ms")
        #expect(ours <= 4 * plain)
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
