import Foundation
import Testing

@testable import HumonClient

private let address = ProcessInfo.processInfo.environment["HUMON_CLIENT_BARS"]

/// Prints what the client costs, and compares it with its limits.
///
/// See docs/testing.md.
@Suite(.enabled(if: address != nil, "Set HUMON_CLIENT_BARS to the URL of a test server."))
struct BarsTests {
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
}
