import JSON
import Testing

struct JSONNumberTests {
    @Test(arguments: [
        "0", "-0", "7", "-7", "10", "9223372036854775807", "-9223372036854775809",
        "100000000000000000000", "1.0", "1e2", "0.1", "-0.0", "1E2", "1e+2", "1e-2", "0e0",
        "1.5e300", "1e00002", "-122.427103", "0.1000000000000000055511151231257827", "1e-400",
        "1.7976931348623157e308", "4.9406564584124654e-324", "0e99999999999999999999", "1e400",
        String(repeating: "9", count: 100_000), "1e-" + String(repeating: "9", count: 100_000),
    ])
    func `keeps the text as it was written`(text: String) throws {
        #expect(try parse(text) == .number(text))
    }

    @Test(arguments: [
        "+1", "--1", "-", "- 1", "-a", "00", "01", "-01", "007", ".5", "-.5", "5.", "1.e5", "1..5",
        "1.5.5", "1e", "1e+", "1e-", "1E", "1e+-5", "1e5.5", "1e5e5", "e5", "0x10", "0b1", "0o7",
        "1_000", "1,000", "1f", "1L", "1n", "1a", "1 0", "１", "\u{0661}", "½", "²", "-Infinity",
        "-NaN", "1e1\0", "1-", "1+1", "1.-5",
    ])
    func `has no other form`(text: String) {
        #expect(refusal(of: text) != nil)
        #expect(refusal(of: "[\(text)]") != nil || text == "1,000", "in an array")
        #expect(refusal(of: "{\"a\":\(text)}") != nil, "in an object")
    }
}
