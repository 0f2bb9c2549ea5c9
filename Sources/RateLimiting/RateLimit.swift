/// So many requests in a span of time, such as `600/m`.
///
/// All of them may come at once; they are given back evenly over the span.
package struct RateLimit: Hashable, Sendable {
    /// What the figure is for.
    package enum Span: String, CaseIterable, Sendable {
        case second = "s"
        case minute = "m"
        case hour = "h"

        /// Its length in s.
        package var seconds: Int64 { microseconds / 1_000_000 }

        /// Its length in µs.
        var microseconds: Int64 {
            switch self {
            case .second: 1_000_000
            case .minute: 60_000_000
            case .hour: 3_600_000_000
            }
        }
    }

    /// The figures that make sense: above them a request would be given back in less than 1 µs.
    package static let counts = 1...1_000_000

    package let count: Int
    package let span: Span

    /// The nearest of the `counts` in a span.
    package init(within count: Int, per span: Span) {
        self.count = min(max(count, Self.counts.lowerBound), Self.counts.upperBound)
        self.span = span
    }

    /// Reads a text such as `600/m`; nil if it is none, or its count not one of `counts`.
    package init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let span = Span(rawValue: parts[1].lowercased()),
            parts[0].utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let count = Int(parts[0]), Self.counts.contains(count)
        else { return nil }
        self.count = count
        self.span = span
    }

    /// The time in which one request is given back, in µs.
    var interval: Int64 { span.microseconds / Int64(count) }

    /// The time in which all are given back, in µs.
    var window: Int64 { interval * Int64(count) }
}

extension RateLimit: CustomStringConvertible {
    package var description: String { "\(count)/\(span.rawValue)" }
}
