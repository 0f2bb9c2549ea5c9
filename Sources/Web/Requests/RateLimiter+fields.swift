import HTTP

extension RateLimiter.Refusal {
    /// The seconds until the next request is admitted, at least 1.
    var waitSeconds: Int64 { max(1, (waitMicroseconds + 999_999) / 1_000_000) }

    /// Appends the time to wait, in the headers of RFC 9110, section 10.2.3, and
    /// draft-ietf-httpapi-ratelimit-headers-10.
    func append(to headers: inout Headers) {
        headers.append("retry-after", String(waitSeconds))
        headers.append("ratelimit-policy", "\"\(name)\";q=\(limit.count);w=\(limit.span.seconds)")
        headers.append("ratelimit", "\"\(name)\";r=0;t=\(waitSeconds)")
    }
}
