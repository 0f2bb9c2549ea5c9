import JSON
import Testing

struct JSONNumberTests {
    @Test(
        arguments: [
            ("0", 0.0, Int64(0)), ("-0", -0.0, 0), ("7", 7, 7), ("-7", -7, -7), ("10", 10, 10),
            ("9223372036854775807", 9223372036854775808, Int64.max),
            ("-9223372036854775808", -9223372036854775808, Int64.min),
            ("9007199254740993", 9007199254740992, 9_007_199_254_740_993),
            ("9223372036854775808", 9223372036854775808, nil),
            ("-9223372036854775809", -9223372036854775808, nil),
            ("100000000000000000000", 1e20, nil),
            ("1.0", 1, nil), ("1e2", 100, nil), ("0.1", 0.1, nil), ("-0.0", -0.0, nil),
            ("1E2", 100, nil), ("1e+2", 100, nil), ("1e-2", 0.01, nil), ("0e0", 0, nil),
            ("1.5e300", 1.5e300, nil), ("1e00002", 100, nil), ("-122.427103", -122.427103, nil),
            ("0.1000000000000000055511151231257827", 0.1, nil), ("1e-400", 0, nil),
            ("1.7976931348623157e308", Double.greatestFiniteMagnitude, nil),
            ("4.9406564584124654e-324", Double.leastNonzeroMagnitude, nil),
            ("0e99999999999999999999", 0, nil),
            ("1e400", nil, nil), ("-1e400", nil, nil), ("1e999999999999999999999", nil, nil),
            ("1.8e308", nil, nil),
        ] as [(String, Double?, Int64?)]
    )
    func `is exact or says that it can't be`(text: String, double: Double?, int64: Int64?) throws {
        guard case .number(let number) = try parse(text) else {
            Issue.record("it is a number")
            return
        }

        #expect(number.text == text)
        #expect(number.double?.bitPattern == double?.bitPattern)
        #expect(number.int64 == int64)
    }

    @Test func `can be as long as it likes`() throws {
        let digits = String(repeating: "9", count: 100_000)

        for (text, double) in [(digits, nil), ("0." + digits, 1.0), ("1e-" + digits, 0)] {
            guard case .number(let number) = try parse(text) else {
                Issue.record("it is a number")
                return
            }
            #expect(number.double == double)
            #expect(number.int64 == nil)
        }
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
