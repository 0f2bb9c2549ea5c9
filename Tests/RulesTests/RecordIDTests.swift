import Rules
import Testing

@Suite struct RecordIDTests {
    @Test(
        arguments: [
            ("1", 1), ("0", nil), ("000", nil), ("007", 7), ("9223372036854775807", .max),
            ("00000000000000000000000001", 1), ("9223372036854775808", nil),
            ("99999999999999999999", nil), ("", nil), ("1abc", nil), ("1.5", nil), ("+1", nil),
            ("-1", nil), (" 1", nil), ("1 ", nil), ("0x1", nil), ("١", nil), ("1\u{0}", nil),
        ] as [(String, Int64?)]
    )
    func `is a positive number in digits`(text: String, id: Int64?) {
        #expect(Int64(recordID: text) == id)
    }

    @Test(
        arguments: [
            ("12", 12), ("12.0", 12), ("12.000", 12), ("12e0", 12), ("1.2e1", 12), ("1.20E+1", 12),
            ("120e-1", 12), ("-12.0", -12), ("0", 0), ("-0.0", 0), ("0e5", 0),
            ("9223372036854775807.0", .max), ("-9223372036854775808.0", .min),
            ("9.223372036854775807e18", .max), ("9007199254740993.0", 9_007_199_254_740_993),
            ("12.5", nil), ("12.00000000000000000000000001", nil), ("1e-1", nil), ("125e-1", nil),
            ("9223372036854775808.0", nil), ("1e19", nil), ("1e400", nil),
            ("1e99999999999999999999", nil), ("0.0e-9223372036854775808", nil), ("", nil),
            ("1.", nil), (".5", nil), ("1e", nil), ("x", nil), (" 1", nil), ("1.2.3", nil),
        ] as [(String, Int64?)]
    )
    func `is a whole number in any notation`(text: String, number: Int64?) {
        #expect(Int64(wholeNumber: text) == number)
    }
}
