import Model
import Threads

/// Lines that wait for the log's thread, in the order in which they came.
///
/// What comes when there is no room is dropped and counted, and a line says how many that were as
/// soon as lines can be written again.
final class LogQueue: Sendable {
    private struct State {
        var waiting: [UInt8] = []
        /// Bytes that the thread has taken and not yet written.
        var takenBytes = 0
        var writtenBytes: UInt64 = 0
        var droppedLines = 0
        /// How many of these the log has been told of.
        var reportedLines = 0
        /// `reportedLines` once the batch is written that the thread has.
        var reportedLinesOfBatch = 0
        /// Whether the last batch was written.
        var isWritable = true
        var isClosed = false
        /// Whether the last line of a closed log has been taken.
        var isComplete = false
        var hasEnded = false
        var isThreadWaiting = false
        /// Whether the thread lets lines gather before it looks for them again.
        var isThreadResting = false
        /// Those who wait until everything is written.
        var flushes: [Semaphore] = []
    }

    /// A buffer that has grown beyond this in a burst is not kept.
    private static let keptBytes = 256 * 1024
    /// How long lines gather after a batch was written.
    ///
    /// To wake the thread for each batch of an event loop cost a busy server 0.7 µs a request.
    private static let restMilliseconds: Int64 = 5

    private let capacity: Int
    /// So many bytes end the thread's rest.
    private let gatheredBytes: Int
    private let format: LogFormat
    private let state = Mutex(State())
    private let wakeUp = Semaphore()

    /// A queue for so many bytes, which writes its own lines in this format.
    init(capacity: Int, format: LogFormat) {
        self.capacity = capacity
        gatheredBytes = min(Self.keptBytes, capacity / 4)
        self.format = format
    }

    /// How many lines have been dropped since the start.
    var droppedLines: Int { state.withLock { $0.droppedLines } }

    /// How many bytes have been written since the start.
    var writtenBytes: UInt64 { state.withLock { $0.writtenBytes } }

    /// Whether the thread has written, or given up, the last line.
    var hasEnded: Bool { state.withLock { $0.hasEnded } }

    /// Takes whole lines over, or drops them, and leaves `lines` empty; never waits for the reader.
    func append(_ lines: inout [UInt8]) {
        if lines.isEmpty { return }
        let mustWake = state.withLock { state in
            let count = state.waiting.count + state.takenBytes + lines.count
            guard count <= capacity, !state.isClosed else {
                state.droppedLines += lines.span.lineCount
                return false
            }
            if state.waiting.isEmpty {
                // Nothing is copied, and the thread's empty buffer comes back.
                swap(&state.waiting, &lines)
            } else {
                state.waiting += lines
            }
            return endsWait(&state, isUrgent: state.waiting.count >= gatheredBytes)
        }
        lines.removeAll(keepingCapacity: true)
        if mustWake { wakeUp.signal() }
    }

    /// Waits until all that was taken over before is written or given up, for so many ms at most.
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

    /// Takes no more lines; the thread ends when it has written those that wait.
    func close() {
        state.withLock { $0.isClosed = true }
        wakeUp.signal()
    }

    /// Whether the thread waits and must be woken, which the caller then does.
    private func endsWait(_ state: inout State, isUrgent: Bool) -> Bool {
        let mustWake = state.isThreadWaiting || (state.isThreadResting && isUrgent)
        if mustWake {
            state.isThreadWaiting = false
            state.isThreadResting = false
        }
        return mustWake
    }

    // MARK: For the log's thread

    /// Puts the lines that wait in place of `batch`, and waits for some; false at the end.
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

    /// Waits for more lines for a moment, unless a caller of `flush` or `close` is waiting.
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

    /// Notes that so many bytes of the batch are written, the last ones or not.
    func didWrite(_ count: Int, isLast: Bool) {
        state.withLock { state in
            state.takenBytes -= count
            state.writtenBytes &+= UInt64(clamping: count)
            guard isLast else { return }
            state.isWritable = true
            state.reportedLines = state.reportedLinesOfBatch
        }
    }

    /// Notes that the rest of the batch can't be written.
    func didFail(_ rest: Span<UInt8>) {
        let lines = rest.lineCount
        state.withLock { state in
            state.takenBytes = 0
            state.isWritable = false
            state.droppedLines += lines
        }
    }

    /// Whether there is a batch, and nil if there may be one later.
    private func takeNow(_ batch: inout [UInt8], from state: inout State) -> Bool? {
        let isLast = state.isClosed && !state.isComplete
        let hasNews = state.droppedLines > state.reportedLines
        // Where nothing could be written, another line is a reason to try again, but no count is.
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
        let line = LogLine(
            time: .recent(),
            level: .warning,
            message: "log lines dropped: the reader of the log was too slow or failed",
            fields: (news > 0 ? [LogField("lines", String(news))] : [])
                + [LogField("total", String(state.droppedLines))]
        )
        line.write(to: &batch, as: format)
    }
}

extension Span<UInt8> {
    /// How many lines end in these bytes.
    fileprivate var lineCount: Int {
        var count = 0
        for index in indices where self[index] == UInt8(ascii: "\n") { count += 1 }
        return count
    }
}
