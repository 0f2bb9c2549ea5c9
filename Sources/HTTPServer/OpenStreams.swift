/// The open streams of an event loop, and the deadlines of those that wait.
///
/// Belongs to its loop's thread.
final class OpenStreams {
    private let executor: LoopExecutor
    private var streams: [UInt64: StreamSender] = [:]
    private var nextID: UInt64 = 0
    /// A time at or before the earliest deadline of a waiting stream, in ms of the loop's clock.
    private(set) var nextDeadline = Int64.max

    init(executor: LoopExecutor) {
        self.executor = executor
    }

    /// Returns the waker for a stream that is about to be inserted.
    func makeWaker() -> StreamWaker {
        nextID &+= 1
        return StreamWaker(id: nextID, executor: executor)
    }

    /// Adds a stream.
    func insert(_ stream: StreamSender) {
        streams[stream.waker.id] = stream
    }

    /// Removes a stream that has ended.
    func remove(_ stream: StreamSender) {
        streams[stream.waker.id] = nil
        if streams.isEmpty { nextDeadline = .max }
    }

    /// Takes note of the deadline of a waiting stream.
    func noteWait(of stream: StreamSender) {
        nextDeadline = min(nextDeadline, stream.waitDeadline)
    }

    /// Resumes the streams with these ids that are waiting.
    func wake(_ ids: [UInt64]) {
        for id in ids { streams[id]?.resume(.woken) }
    }

    /// Resumes the streams whose deadline has passed; O(n) for n streams if there may be one.
    func expire(now: Int64) {
        guard nextDeadline <= now else { return }
        nextDeadline = .max
        for stream in streams.values {
            if stream.waitDeadline <= now {
                stream.resume(.timedOut)
            } else {
                noteWait(of: stream)
            }
        }
    }

    /// Ends the waits of all streams, so that they end, and returns whether there is one.
    func giveUpAll() -> Bool {
        for stream in streams.values { stream.giveUp() }
        return !streams.isEmpty
    }
}
