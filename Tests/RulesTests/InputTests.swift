import Rules
import Testing

struct InputTests {
    @Test(arguments: [
        ("7", 7), ("007", 7), ("9223372036854775807", Int64.max),
    ])
    func `is a record's id if it is digits`(text: String, id: Int64) {
        #expect(Input.text(text).recordID == id)
        #expect(Input.number(text).recordID == id)
    }

    @Test(arguments: ["7.0", "7e0", "0.7e1"])
    func `is a record's id if it is a whole number in JSON`(text: String) {
        #expect(Input.number(text).recordID == 7)
    }

    @Test(arguments: [
        Input.absent, .null, .list([]), .boolean(true), .text(""), .text(" "), .text("0"),
        .number("0"),
        .text("7.0"),
        .number("7.5"), .number("0.0"), .number("-7.0"), .text("7e0"), .text("1abc"), .text("-1"),
        .number("-1"), .number("-0"),
        .text("+1"), .text(" 7"), .text("7 "), .text("9223372036854775808"),
        .text("12345678901234567890"), .text("\u{0661}"), .text("７"), .text("0x7"),
    ])
    func `is no record's id if it is anything else`(input: Input) {
        #expect(input.recordID == nil)
    }

    @Test(arguments: [
        (Input.absent, true), (.null, true), (.text(""), true), (.text("\u{2028} \t"), true),
        (.text("x"), false), (.text(" x "), false), (.text("\u{200B}"), false),
        (.text("\0"), false), (.number("0"), false), (.boolean(false), false), (.list([]), false),
    ])
    func `is blank if it says nothing`(input: Input, isBlank: Bool) {
        #expect(input.isBlank == isBlank)
    }
}
