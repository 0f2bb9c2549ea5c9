import HTTP
import Testing

@Suite struct ChunkedEncoderTests {
    @Test(
        arguments: [
            (1, "1"), (9, "9"), (10, "a"), (15, "f"), (16, "10"), (255, "ff"), (256, "100"),
            (0xABC, "abc"), (16_384, "4000"),
        ]
    )
    func `writes the size and the bytes of a chunk`(count: Int, size: String) {
        var output = Array("before".utf8)
        ChunkedEncoder.append(
            chunk: [UInt8](repeating: UInt8(ascii: "x"), count: count).span,
            to: &output
        )

        let text = String(repeating: "x", count: count)
        #expect(output == Array("before\(size)\r\n\(text)\r\n".utf8))
    }

    @Test func `writes no chunk of no bytes, which would be the last one`() {
        var output: [UInt8] = []
        ChunkedEncoder.append(chunk: [UInt8]().span, to: &output)

        #expect(output.isEmpty)
    }

    @Test func `writes the last chunk`() {
        var output: [UInt8] = []
        ChunkedEncoder.appendEnd(to: &output)

        #expect(output == Array("0\r\n\r\n".utf8))
    }
}
