import Bytes
import Testing

@Suite struct DecimalTests {
    @Test(arguments: [
        Int64.min, -1000, -1, 0, 1, 9, 10, 11, 99, 100, 101, 109, 110, 999, 1000, 1001, 12_345,
        .max,
    ])
    func `have the digits of the number`(integer: Int64) {
        var text: [UInt8] = []
        text.append(decimal: integer)

        #expect(String(decoding: text, as: UTF8.self) == String(integer))
    }
}
