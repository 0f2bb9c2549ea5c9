import HTTP
import Testing
import Time

@Suite struct HTTPDateTests {
    @Test(
        arguments: [
            (784_111_777_000, "Sun, 06 Nov 1994 08:49:37 GMT"),
            (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
            (-1, "Wed, 31 Dec 1969 23:59:59 GMT"),
            (-1000, "Wed, 31 Dec 1969 23:59:59 GMT"),
            (951_782_400_000, "Tue, 29 Feb 2000 00:00:00 GMT"),
            (951_868_799_000, "Tue, 29 Feb 2000 23:59:59 GMT"),
            (951_868_800_000, "Wed, 01 Mar 2000 00:00:00 GMT"),
            (4_107_542_399_000, "Sun, 28 Feb 2100 23:59:59 GMT"),
            (4_107_542_400_000, "Mon, 01 Mar 2100 00:00:00 GMT"),
            (1_709_210_096_000, "Thu, 29 Feb 2024 12:34:56 GMT"),
            (2_147_483_648_000, "Tue, 19 Jan 2038 03:14:08 GMT"),
            (1_735_689_599_000, "Tue, 31 Dec 2024 23:59:59 GMT"),
            (253_402_300_799_000, "Fri, 31 Dec 9999 23:59:59 GMT"),
            (253_402_300_799_999, "Fri, 31 Dec 9999 23:59:59 GMT"),
            (253_402_300_800_000, "Fri, 31 Dec 9999 23:59:59 GMT"),
            (.max, "Fri, 31 Dec 9999 23:59:59 GMT"),
            (-62_167_219_200_000, "Sat, 01 Jan 0000 00:00:00 GMT"),
            (.min, "Sat, 01 Jan 0000 00:00:00 GMT"),
        ] as [(Int64, String)]
    )
    func `writes a time`(milliseconds: Int64, text: String) {
        let bytes = HTTPDate.bytes(Timestamp(milliseconds: milliseconds))

        #expect(String(decoding: bytes, as: UTF8.self) == text)
    }
}
