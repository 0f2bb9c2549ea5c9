import Model
import Testing
import Time

@Suite struct EventSpanTests {
    private static func span(_ start: Int64, _ end: Int64?) -> Int64 {
        EventSpan.span(
            from: Timestamp(milliseconds: start),
            to: end.map(Timestamp.init(milliseconds:))
        )
    }

    @Test(
        arguments: [
            (0, nil, 0), (0, 0, 0), (5, 4, 0), (.max, .min, 0), (0, 3_600_000, 0),
            (0, 3_600_001, 1), (7, 7_200_007, 1), (7, 7_200_008, 2), (-5, 14_399_995, 2),
            (0, 3_600_000 << 19, 19), (0, (3_600_000 << 19) + 1, 20), (0, 3_600_000 << 20, 20),
            (0, (3_600_000 << 20) + 1, 21), (0, .max, 21), (.min, .max, 21), (.min, -1, 21),
        ] as [(Int64, Int64?, Int64)]
    )
    func `rounds the hours up to a power of two`(start: Int64, end: Int64?, span: Int64) {
        #expect(Self.span(start, end) == span)
    }

    @Test func `returns the maximum length of each span`() {
        for span in 0..<EventSpan.greatest {
            let length = EventSpan.maximumMilliseconds(of: span)

            #expect(length == 3_600_000 << span)
            #expect(length.map { Self.span(-1, $0 - 1) } == span)
            #expect(length.map { Self.span(-1, $0) } == span + 1)
        }
        #expect(EventSpan.maximumMilliseconds(of: EventSpan.greatest) == nil)
        #expect(EventSpan.maximumMilliseconds(of: .max) == nil)
    }
}
