import Foundation
import XCTest

@testable import HumonClient

/// Compares the decoding of events with its limit; see docs/testing.md.
///
/// This is XCTest, because Swift Testing makes thrown errors ten times dearer, by which `JSONValue`
/// finds the type of a value.
final class DecodingBarTests: XCTestCase {
    func testDecodesInFourTimesTheTimeOfJSONSerialization() throws {
        try XCTSkipUnless(
            ProcessInfo.processInfo.environment["HUMON_CLIENT_BARS"] != nil,
            "Set HUMON_CLIENT_BARS to the URL of a test server."
        )
        let events = Array(repeating: DecodingTests.most, count: 100).joined(separator: ",")
        let page = Data(#"{"events":[\#(events)],"next":"c"}"#.utf8)
        let reply = Reply(body: page)
        XCTAssertNotNil(try reply.decode(EventPage.self).events.first?.data)

        let plain = try Self.milliseconds { _ = try JSONSerialization.jsonObject(with: page) }
        let ours = try Self.milliseconds { _ = try reply.decode(EventPage.self) }

        print("page of 100 events: \(ours) ms, JSONSerialization: \(plain) ms")
        XCTAssertLessThanOrEqual(ours, 4 * plain)
    }

    /// Returns the processor's time of a call, in ms.
    private static func milliseconds(_ call: () throws -> Void) rethrows -> Double {
        let start = clock()
        for _ in 0..<100 { try call() }
        return Double(clock() - start) * 10 / Double(CLOCKS_PER_SEC)
    }
}
