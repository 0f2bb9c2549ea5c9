import Foundation
import XCTest

@testable import HumonClient

/// Compares what the client costs with its limits; see docs/testing.md.
///
/// This is XCTest, because Swift Testing keeps a trace of each thrown error. That makes errors, by
/// which `JSONValue` finds the type of a value, ten times dearer, and memory grows.
final class ClientBarTests: XCTestCase {
    private let address = ProcessInfo.processInfo.environment["HUMON_CLIENT_BARS"]

    override func setUpWithError() throws {
        try XCTSkipIf(address == nil, "Set HUMON_CLIENT_BARS to the URL of a test server.")
    }

    func testDecodesInFourTimesTheTimeOfJSONSerialization() throws {
        let events = Array(repeating: DecodingTests.most, count: 100).joined(separator: ",")
        let page = Data(#"{"events":[\#(events)],"next":"c"}"#.utf8)
        let reply = Reply(body: page)
        XCTAssertNotNil(try reply.decode(EventPage.self).events.first?.data)

        let plain = try Self.milliseconds { _ = try JSONSerialization.jsonObject(with: page) }
        let ours = try Self.milliseconds { _ = try reply.decode(EventPage.self) }

        print("page of 100 events: \(ours) ms, JSONSerialization: \(plain) ms")
        XCTAssertLessThanOrEqual(ours, 4 * plain)
    }

    func testGrowsBy5MBIn10000Requests() async throws {
        let url = try XCTUnwrap(address.flatMap(URL.init(string:)))
        let humon = HumonClient(HumonConfiguration(baseURL: url), tokens: MemoryTokenStore())
        for _ in 0..<1_000 { _ = try await humon.events.page(.all) }
        let start = try Self.memory()
        for _ in 0..<10_000 { _ = try await humon.events.page(.all) }
        let growth = try Self.memory() - start

        print("growth: \(growth) KiB")
        XCTAssertLessThanOrEqual(growth, 5_000)
    }

    /// Returns the processor's time of a call, in ms.
    private static func milliseconds(_ call: () throws -> Void) rethrows -> Double {
        let start = clock()
        for _ in 0..<100 { try call() }
        return Double(clock() - start) * 10 / Double(CLOCKS_PER_SEC)
    }

    /// Returns the memory of the process, in KiB.
    private static func memory() throws -> Int {
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let match = try XCTUnwrap(status.firstMatch(of: /VmRSS:\s+(\d+)/))
        return try XCTUnwrap(Int(match.1))
    }
}
