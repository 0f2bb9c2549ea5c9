import HTTP
import RateLimiting

extension RateLimiter.Refusal {
    /// Whole seconds after which the next request is let through, at least 1.
    var waitSeconds: Int64 { max(1, (waitMicroseconds + 999_999) / 1_000_000) }

    /// Says when to come again, for clients of RFC 9110, section 10.2.3, and for those that know
    /// draft-ietf-httpapi-ratelimit-headers-10.
    func append(to headers: inout Headers) {
        headers.append("retry-after", String(waitSeconds))
        headers.append("ratelimit-policy", "\"\(name)\";q=\(limit.count);w=\(limit.span.seconds)")
        headers.append("ratelimit", "\"\(name)\";r=0;t=\(waitSeconds)")
    }
}
