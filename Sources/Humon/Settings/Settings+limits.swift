import HTTP

extension Settings {
    /// One setting for each property of `Limits`.
    static let limits: [Setting] = [
        limit("LIMIT_HEAD_BYTES", "Bytes of a request's head.", 256...1_048_576, \.headBytes),
        limit("LIMIT_HEADER_COUNT", "Header fields of a request.", 1...10_000, \.headerCount),
        limit("LIMIT_TARGET_BYTES", "Bytes of a request's target.", 64...1_048_576, \.targetBytes),
        limit("LIMIT_BODY_BYTES", "Bytes of a request's body.", 1...1_073_741_824, \.bodyBytes),
        limit(
            "LIMIT_CHUNK_EXTENSION_BYTES",
            "Bytes of the extensions of a request's chunks.",
            0...1_048_576,
            \.chunkExtensionBytes
        ),
        limit("LIMIT_JSON_DEPTH", "Nesting of a JSON body.", 1...512, \.jsonDepth),
        limit("LIMIT_CONNECTIONS", "Connections open at once.", 1...1_000_000, \.connections),
        limit(
            "LIMIT_CONNECTIONS_PER_ADDRESS",
            "Connections of one address open at once.",
            1...1_000_000,
            \.connectionsPerAddress
        ),
        limit(
            "LIMIT_REQUEST_MEMORY_MB",
            "Memory for unfinished requests, in MB.",
            1...1_000_000,
            \.requestMegabytes
        ),
        limit(
            "LIMIT_REQUEST_MEMORY_PER_ADDRESS_MB",
            "Memory for unfinished requests of one address, in MB.",
            1...1_000_000,
            \.requestMegabytesPerAddress
        ),
        limit(
            "LIMIT_RESPONSE_MEMORY_MB",
            "Memory for responses that clients have not read yet, in MB.",
            1...1_000_000,
            \.responseMegabytes
        ),
        limit("LIMIT_RESULTS", "Events in one answer.", 1...10_000, \.results),
        limit("LIMIT_WRITER_QUEUE", "Writes that may wait.", 1...1_000_000, \.writerQueue),
        limit("LIMIT_HASHING_QUEUE", "Passwords that may wait.", 1...10_000, \.hashingQueue),
        limit(
            "LIMIT_EVENT_CACHE_MB",
            "Memory for events that are read often, in MB.",
            0...1_000_000,
            \.eventCacheMegabytes
        ),
        timeout("TIMEOUT_HEAD_MS", "Time for a head to arrive, in ms.", \.headMilliseconds),
        timeout("TIMEOUT_BODY_MS", "Time for a body to arrive, in ms.", \.bodyMilliseconds),
        timeout("TIMEOUT_IDLE_MS", "Time between two requests, in ms.", \.idleMilliseconds),
        timeout("TIMEOUT_WRITE_MS", "Time for an answer to move, in ms.", \.writeMilliseconds),
        timeout(
            "TIMEOUT_SHUTDOWN_MS",
            "Time to finish open requests when stopping, in ms.",
            \.shutdownMilliseconds
        ),
        timeout(
            "TIMEOUT_DRAIN_MS",
            "Time for idle connections to send a request when stopping, in ms.",
            \.drainMilliseconds
        ),
        timeout(
            "TIMEOUT_REFUSAL_MS",
            "Time until somebody is refused for want of room, in ms.",
            \.refusalMilliseconds
        ),
    ]

    private static func timeout(
        _ name: String,
        _ meaning: String,
        _ value: any WritableKeyPath<Limits, Int> & Sendable
    ) -> Setting {
        limit(name, meaning, 1...3_600_000, value)
    }

    private static func limit(
        _ name: String,
        _ meaning: String,
        _ range: ClosedRange<Int>,
        _ value: any WritableKeyPath<Limits, Int> & Sendable
    ) -> Setting {
        Setting(
            name,
            meaning,
            allowed: "a whole number from \(range.lowerBound) to \(range.upperBound)",
            default: String(Limits()[keyPath: value]),
            text: { String($0.limits[keyPath: value]) },
            store: { text, configuration in
                guard let number = Setting.decimal(text), range.contains(number)
                else { return false }
                configuration.limits[keyPath: value] = number
                return true
            }
        )
    }
}
