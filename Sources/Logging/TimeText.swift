import Model

/// The text of a time in the log, such as `2026-11-21T20:17:03.123Z`.
struct TimeText: Sendable {
    let bytes: InlineArray<24, UInt8>

    init(_ time: Timestamp) {
        bytes = InlineArray { output in time.write(to: &output) }
    }
}
