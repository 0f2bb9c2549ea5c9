/// A number of requests per time span, such as `600/m`.
///
/// A client can use the whole allowance at once; it is given back evenly over the span.
package struct RateLimit: Hashable, Sendable {
    /// The time span of a limit.
    package enum Span: String, CaseIterable, Sendable {
        case second = "s"
        case minute = "m"
        case hour = "h"

        /// The length in s.
        package var seconds: Int64 { microseconds / 1_000_000 }

        /// The length in µs.
        var microseconds: Int64 {
            switch self {
            case .second: 1_000_000
            case .minute: 60_000_000
            case .hour: 3_600_000_000
            }
        }
    }

    /// The allowed counts; with more, a request would be given back in less than 1 µs.
    package static let counts = 1...1_000_000

    package let count: Int
    package let span: Span

    /// Creates a limit; a count outside `counts` is replaced by the nearest one inside.
    package init(within count: Int, per span: Span) {
        self.count = min(max(count, Self.counts.lowerBound), Self.counts.upperBound)
        self.span = span
    }

    /// Parses a text such as `600/m`; nil if it is malformed or the count is not in `counts`.
    package init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let span = Span(rawValue: parts[1].lowercased()),
            parts[0].utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let count = Int(parts[0]), Self.counts.contains(count)
        else { return nil }
        self.count = count
        self.span = span
    }

    /// Returns the limit with a part of the count, rounded up.
    func divided(by divisor: Int) -> RateLimit {
        let divisor = max(1, divisor)
        return RateLimit(within: count / divisor + (count % divisor == 0 ? 0 : 1), per: span)
    }

    /// The time after which one request is given back, in µs.
    var interval: Int64 { span.microseconds / Int64(count) }

    /// The time after which all requests are given back, in µs.
    var window: Int64 { interval * Int64(count) }
}

extension RateLimit: CustomStringConvertible {
    package var description: String { "\(count)/\(span.rawValue)" }
}
