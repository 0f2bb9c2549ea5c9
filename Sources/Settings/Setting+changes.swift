import Model
import Rules

extension Setting {
    /// How long the log of changes and the responses to repeatable writes are kept.
    static let changes: [Setting] = [
        hours(
            "IDEMPOTENCY_KEEP",
            "How long the response to a write with an Idempotency-Key is kept.",
            details: "A repetition after that time is performed again.",
            in: 1...90 * 24,
            allowed: "1h to 90d",
            \.storageLimits.responseHours
        ),
        hours(
            "CHANGES_KEEP",
            "How long changes are kept in the log.",
            details: "The newest, as many as LIMIT_CHANGES_BEHIND, are always kept.",
            in: 7 * 24...3650 * 24,
            allowed: "7d to 3650d",
            \.storageLimits.changeHours
        ),
        .integer(
            "LIMIT_CHANGES",
            "The maximum number of changes in the log, which takes about 30 bytes for each.",
            details: "Beyond it, the oldest are deleted, however new they are.",
            in: 100_000...1_000_000_000,
            \.storageLimits.changes
        ),
        .integer(
            "LIMIT_CHANGES_BEHIND",
            "The maximum number of changes that a client of /v1/changes can catch up with.",
            details: "A client further behind gets 410 and begins again with all records.",
            in: 1024...1_048_576,
            \.storageLimits.changesBehind
        ),
        .integer(
            "LIMIT_STREAMS",
            "The maximum number of streams of changes and of requests that wait for changes.",
            details: "Further ones get 503. Half of LIMIT_CONNECTIONS leaves room for others.",
            in: 0...1_000_000,
            \.streams.all
        ),
        .integer(
            "LIMIT_STREAMS_PER_ADDRESS",
            "The maximum number of streams and waiting requests of one address.",
            details: "Further ones get 503.",
            in: 1...1_000_000,
            \.streams.address
        ),
        .integer(
            "LIMIT_STREAMS_PER_TOKEN",
            "The maximum number of streams of one token or account.",
            details: "A further one ends the oldest.",
            in: 1...1000,
            \.streams.token
        ),
        .integer(
            "STREAM_HEARTBEAT_S",
            "The time after which a stream without changes sends its cursor, in seconds.",
            details: "Proxies close connections that are silent for longer than they allow.",
            in: 1...300,
            \.streams.heartbeatSeconds
        ),
    ]

    /// Creates a setting for a number of hours or days.
    private static func hours(
        _ name: String,
        _ summary: String,
        details: String,
        in range: ClosedRange<Int>,
        allowed: String,
        _ property: any WritableKeyPath<Configuration, Int> & Sendable
    ) -> Setting {
        Setting(
            name,
            summary,
            details: details,
            allowed: "a time from \(allowed)",
            property,
            text: { $0.isMultiple(of: 24) ? "\($0 / 24)d" : "\($0)h" },
            parse: { text in
                let factors: [Character: Int] = ["d": 24, "h": 1]
                guard let number = decimal(String(text.dropLast())), number < 1_000_000,
                    let factor = text.lowercased().last.flatMap({ factors[$0] })
                else { return nil }
                return range.contains(number * factor) ? number * factor : nil
            }
        )
    }
}
