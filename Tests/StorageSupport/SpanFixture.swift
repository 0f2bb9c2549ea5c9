/// Events with the shortest and the longest length of each span.
package enum SpanFixture {
    package typealias Times = (start: Int64, end: Int64?)

    /// Their starts and ends in ms.
    package static let times: [Times] =
        [(-7, nil), (7, 7), (7, -7)]
        + (0...20).flatMap { span -> [Times] in
            let length: Int64 = 3_600_000 << span
            return [(-7, length - 7), (-7, length - 6)]
        }

    /// Their spans.
    package static let spans: [Int64] =
        [0, 0, 0] + (0...20).flatMap { (span: Int64) in [span, span + 1] }
}
