import System

/// The responses of a batch that its loop sends together, at most one for each connection.
///
/// A response wakes its client. On a busy machine the client then takes the core from the loop,
/// once for each response. If the responses of a batch are sent together, this happens once.
struct Outbox {
    /// A response in the outbox.
    private struct Item {
        let channel: Channel
        /// The offset after its head, and after its body if that is copied, in `bytes`.
        let end: Int
        /// The body, if it is not copied.
        let body: [UInt8]
    }

    private static let maximumCount = 64
    private static let maximumBytes = 256 * 1024

    private let delayMicroseconds: Int64
    private var items: [Item] = []
    private var bytes: [UInt8] = []
    /// The bytes of the bodies that are not in `bytes`.
    private var bodyBytes = 0
    /// The monotonic time at which the responses must be sent, in µs.
    private var deadline: Int64 = 0

    /// Creates an empty outbox whose responses wait for at most this time.
    init(delayMilliseconds: Int) {
        delayMicroseconds = Int64(delayMilliseconds) * 1000
    }

    /// Whether no response waits.
    var isEmpty: Bool { items.isEmpty }

    /// Whether the responses have reached a limit and must be sent before another job runs.
    var isFull: Bool {
        guard !items.isEmpty else { return false }
        return items.count >= Self.maximumCount
            || bytes.count + bodyBytes >= Self.maximumBytes
            || MonotonicClock.microseconds() >= deadline
    }

    /// Adds a response for the client of a channel.
    ///
    /// `write` appends the head to the outbox's bytes, and either appends the body or returns it.
    mutating func append(for channel: Channel, _ write: (inout [UInt8]) -> [UInt8]) {
        if items.isEmpty { deadline = MonotonicClock.microseconds() + delayMicroseconds }
        let body = write(&bytes)
        bodyBytes += body.count
        items.append(Item(channel: channel, end: bytes.count, body: body))
    }

    /// Sends all responses; a channel gets the rest that its socket does not accept.
    ///
    /// The tasks of all channels must be waiting.
    mutating func send() {
        guard !items.isEmpty else { return }
        var start = 0
        for item in items {
            let head = bytes.span.extracting(start..<item.end)
            start = item.end
            item.channel.send(head, item.body)
        }
        items.removeAll(keepingCapacity: true)
        bytes.removeAll(keepingCapacity: bytes.capacity <= 2 * Self.maximumBytes)
        bodyBytes = 0
    }
}
