/// The open streams of an event loop, and the deadlines of those that wait.
///
/// Belongs to its loop's thread.
final class OpenStreams {
    /// The deadline of a stream's wait; it is stale if the wait has ended.
    private struct Timer {
        let deadline: Int64
        let id: UInt64
    }

    private let executor: LoopExecutor
    private var streams: [UInt64: StreamSender] = [:]
    private var nextID: UInt64 = 0
    /// A min-heap by deadline, which may contain stale timers.
    private var timers: [Timer] = []

    init(executor: LoopExecutor) {
        self.executor = executor
    }

    /// The earliest deadline of a waiting stream, in ms of the loop's clock; nil if none waits.
    var nextDeadline: Int64? { timers.first?.deadline }

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
        if streams.isEmpty { timers = [] }
    }

    /// Adds the deadline of a waiting stream; O(log n) on average for n streams.
    func noteWait(of stream: StreamSender) {
        append(Timer(deadline: stream.waitDeadline, id: stream.waker.id))
        guard timers.count > 64 + 4 * streams.count else { return }
        timers = []
        for (id, stream) in streams where stream.waitDeadline < .max {
            append(Timer(deadline: stream.waitDeadline, id: id))
        }
    }

    /// Resumes the streams with these ids that are waiting.
    func wake(_ ids: [UInt64]) {
        for id in ids { streams[id]?.resume(.woken) }
    }

    /// Resumes the streams whose deadline has passed.
    func expire(now: Int64) {
        while let timer = timers.first, timer.deadline <= now {
            removeFirstTimer()
            guard let stream = streams[timer.id], stream.waitDeadline <= now else { continue }
            stream.resume(.timedOut)
        }
    }

    /// Ends the waits of all streams, so that they end, and returns whether there is one.
    func giveUpAll() -> Bool {
        for stream in streams.values { stream.giveUp() }
        return !streams.isEmpty
    }

    // MARK: Heap

    private func append(_ timer: Timer) {
        timers.append(timer)
        var index = timers.count - 1
        while index > 0 {
            let parent = (index - 1) / 2
            guard timers[index].deadline < timers[parent].deadline else { return }
            timers.swapAt(index, parent)
            index = parent
        }
    }

    private func removeFirstTimer() {
        guard let last = timers.popLast(), !timers.isEmpty else { return }
        timers[0] = last
        var index = 0
        while true {
            var least = index
            for child in [2 * index + 1, 2 * index + 2] where child < timers.count {
                if timers[child].deadline < timers[least].deadline { least = child }
            }
            if least == index { return }
            timers.swapAt(index, least)
            index = least
        }
    }
}
