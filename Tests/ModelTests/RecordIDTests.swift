import Model
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
}
