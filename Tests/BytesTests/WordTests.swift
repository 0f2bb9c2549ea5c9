import Testing

@testable import Bytes

@Suite struct WordTests {
    /// Every byte that can be different from the bytes around it.
    private static let bytes = (0...UInt8.max).map { $0 }

    @Test(arguments: [UInt8(0x20), 0x41, 0x7F, 0x80, 0xFF, 0])
    func `find every byte at every place of a word`(filler: UInt8) {
        for byte in Self.bytes {
            for place in 0..<8 {
                var around = [UInt8](repeating: filler, count: 8)
                around[place] = byte
                let word = around.span.word(at: 0)

                for bound in [UInt8(1), 0x20, 0x7F, 0x80] {
                    #expect((word.hasByte(below: bound) != 0) == around.contains { $0 < bound })
                }
                for wanted in [UInt8(0), 0x22, 0x5C, 0x7F, 0x80, 0xFF] {
                    #expect((word.hasByte(wanted) != 0) == around.contains(wanted))
                }
                #expect((word.hasNonASCII != 0) == around.contains { $0 > 0x7F })
            }
        }
    }

    @Test(arguments: [false, true])
    func `end before the first byte that fails`(areStrict: Bool) {
        for count in 0..<40 {
            for start in 0...count {
                for place in start..<max(start + 1, count) {
                    var text = [UInt8](repeating: 0x41, count: count)
                    let isThere = place < count
                    if isThere { text[place] = 0x22 }

                    let end = text.span.endOfBytes(
                        from: start,
                        upTo: count,
                        passingAsWord: { !areStrict && $0.hasByte(0x22) == 0 },
                        passingAsByte: { $0 != 0x22 }
                    )

                    #expect(end == (isThere ? place : count))
                }
            }
        }
    }

    @Test func `stay inside their bounds`() {
        let text: [UInt8] = [0x22] + Array(repeating: 0x41, count: 16) + [0x22]

        let end = text.span.endOfBytes(
            from: 1,
            upTo: 17,
            passingAsWord: { $0.hasByte(0x22) == 0 },
            passingAsByte: { $0 != 0x22 }
        )

        #expect(end == 17)
    }
}
