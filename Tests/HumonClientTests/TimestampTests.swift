import Foundation
import Testing

@testable import HumonClient

@Suite struct TimestampTests {
    @Test func `keeps every millisecond of every year`() throws {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<10_000 {
            let milliseconds = Int64.random(
                in: -62_167_219_200_000...253_402_300_799_999,
                using: &generator
            )
            let date = Date(timeIntervalSince1970: Double(milliseconds) / 1000)
            let text = Timestamp.text(of: date)
            let read: [Date] = try Reply(body: Data("[\"\(text)\"]".utf8)).decode()

            #expect(read == [date], "\(text)")
        }
    }
}
