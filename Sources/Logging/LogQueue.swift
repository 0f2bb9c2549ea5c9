import System
import Time

/// The lines that wait for the log's thread, in order.
///
/// If the queue is full, lines are dropped and counted. When lines can be written again, the log
/// gets a line with the number of dropped ones.
final class LogQueue: Sendable {
    private struct State {
        var waiting: [UInt8] = []
        /// The bytes that the thread has taken but not written.
        var takenBytes = 0
        var writtenBytes: UInt64 = 0
        var droppedLines = 0
        /// The number of dropped lines that the log has reported.
        var reportedLines = 0
        /// The value of `reportedLines` when the thread's current batch is written.
        var reportedLinesOfBatch = 0
        /// Whether the latest batch was written.
        var isWritable = true
        var isClosed = false
        /// Whether the last lines of a closed log have been taken.
        var isComplete = false
        var hasEnded = false
        var isThreadWaiting = false
        /// Whether the thread is pausing so that lines can accumulate.
        var isThreadResting = false
        /// The callers that wait until everything is written.
        var flushes: [Semaphore] = []
    }

    /// The size above which a buffer is freed after a burst.
    private static let keptBytes = 256 * 1024
    /// How long lines accumulate after a batch was written.
    ///
    /// Waking the thread for each batch of an event loop cost a busy server 0.7 µs per request. A
    /// pause of 5 ms cost a single client 4 µs per insert.
    private static let restMilliseconds: Int64 = 20

    private let capacity: Int
    /// The number of waiting bytes that ends the thread's pause.
    private let gatheredBytes: Int
    private let format: LogFormat
    private let state = Mutex(State())
    private let wakeUp = Semaphore()

    /// Creates a queue of this size; its own lines have this format.
    init(capacity: Int, format: LogFormat) {
        self.capacity = capacity
        gatheredBytes = min(Self.keptBytes, capacity / 4)
        self.format = format
    }

    /// The number of lines dropped since the start.
    var droppedLines: Int { state.withLock { $0.droppedLines } }

    /// The number of bytes written since the start.
    var writtenBytes: UInt64 { state.withLock { $0.writtenBytes } }

    /// Whether the thread has written or dropped the last line.
    var hasEnded: Bool { state.withLock { $0.hasEnded } }

    /// Moves whole lines into the queue, or drops them, without waiting; leaves `lines` empty.
    func append(_ lines: inout [UInt8]) {
        if lines.isEmpty { return }
        let mustWake = state.withLock { state in
            let count = state.waiting.count + state.takenBytes + lines.count
            guard count <= capacity, !state.isClosed else {
                state.droppedLines += lines.span.lineCount
                return false
            }
            if state.waiting.isEmpty {
                // This copies nothing, and returns the thread's empty buffer.
                swap(&state.waiting, &lines)
            } else {
                state.waiting += lines
            }
            return endsWait(&state, isUrgent: state.waiting.count >= gatheredBytes)
        }
        lines.removeAll(keepingCapacity: true)
        if mustWake { wakeUp.signal() }
    }

    /// Waits until all earlier lines are written or dropped, or for this many ms.
    func flush(atMostMilliseconds milliseconds: Int64?) {
        let isWritten = Semaphore()
        let (mustWait, mustWake) = state.withLock { state in
            guard !state.hasEnded else { return (false, false) }
            state.flushes.append(isWritten)
            return (true, endsWait(&state, isUrgent: true))
        }
        if mustWake { wakeUp.signal() }
        if mustWait { isWritten.wait(atMostMilliseconds: milliseconds) }
    }

    /// Accepts no more lines; the thread ends when it has written the waiting ones.
    func close() {
        state.withLock { $0.isClosed = true }
        wakeUp.signal()
    }

    /// Returns whether the thread waits, so that the caller must wake it.
    private func endsWait(_ state: inout State, isUrgent: Bool) -> Bool {
        let mustWake = state.isThreadWaiting || (state.isThreadResting && isUrgent)
        if mustWake {
            state.isThreadWaiting = false
            state.isThreadResting = false
        }
        return mustWake
    }

    // MARK: For the log's thread

    /// Replaces `batch` by the waiting lines, and waits for some; returns false at the end.
    func take(_ batch: inout [UInt8]) -> Bool {
        if !batch.isEmpty { rest() }
        if batch.capacity > Self.keptBytes {
            batch = []
        } else {
            batch.removeAll(keepingCapacity: true)
        }
        while true {
            let isTaken: Bool? = state.withLock { state in takeNow(&batch, from: &state) }
            if let isTaken { return isTaken }
            wakeUp.wait(atMostMilliseconds: nil)
        }
    }

    /// Pauses so that lines can accumulate, unless a caller of `flush` or `close` is waiting.
    private func rest() {
        let mayRest = state.withLock { state in
            state.isThreadResting =
                !state.isClosed && state.flushes.isEmpty && state.waiting.count < gatheredBytes
            return state.isThreadResting
        }
        guard mayRest else { return }
        wakeUp.wait(atMostMilliseconds: Self.restMilliseconds)
        state.withLock { $0.isThreadResting = false }
    }

    /// Records that this many bytes of the batch are written.
    func didWrite(_ count: Int, isLast: Bool) {
        state.withLock { state in
            state.takenBytes -= count
            state.writtenBytes &+= UInt64(clamping: count)
            guard isLast else { return }
            state.isWritable = true
            state.reportedLines = state.reportedLinesOfBatch
        }
    }

    /// Records that the rest of the batch can't be written.
    func didFail(_ rest: Span<UInt8>) {
        let lines = rest.lineCount
        state.withLock { state in
            state.takenBytes = 0
            state.isWritable = false
            state.droppedLines += lines
        }
    }

    /// Takes the waiting lines; returns false at the end, and nil if there are none yet.
    private func takeNow(_ batch: inout [UInt8], from state: inout State) -> Bool? {
        let isLast = state.isClosed && !state.isComplete
        let hasNews = state.droppedLines > state.reportedLines
        // After a failure, a new line is a reason to try again, but a new count alone is not.
        let mustReport =
            (hasNews && (state.isWritable || !state.waiting.isEmpty))
            || (isLast && state.droppedLines > 0)
        guard mustReport || !state.waiting.isEmpty else {
            state.hasEnded = state.isClosed
            state.isThreadWaiting = !state.isClosed
            for flush in state.flushes { flush.signal() }
            state.flushes = []
            return state.isClosed ? false : nil
        }
        swap(&batch, &state.waiting)
        if mustReport { report(state, to: &batch) }
        if state.isClosed { state.isComplete = true }
        state.takenBytes = batch.count
        state.reportedLinesOfBatch = state.droppedLines
        return true
    }

    private func report(_ state: State, to batch: inout [UInt8]) {
        let news = state.droppedLines - state.reportedLines
        let total = String(state.droppedLines)
        let line = LogLine(
            time: .recent(),
            level: .warning,
            message: "log lines dropped: the reader of the log was too slow or failed",
            fields: news > 0 ? ["lines": String(news), "total": total] : ["total": total]
        )
        line.write(to: &batch, as: format)
    }
}

extension Span<UInt8> {
    /// The number of newlines.
    fileprivate var lineCount: Int {
        var count = 0
        for index in indices where self[index] == UInt8(ascii: "\n") { count += 1 }
        return count
    }
}
