import Glibc
import Model
package import Threads

/// How much a log line matters.
package enum LogLevel: String, CaseIterable, Sendable {
    case debug, info, warning, error
}

/// How log lines look: for a person, or one JSON object a line.
package enum LogFormat: String, CaseIterable, Sendable {
    case text, json
}

/// Writes the log: whole lines, by write(2), to one descriptor.
///
/// A request's line is kept back, to be handed over together with those of other requests; every
/// other line is handed over at once. A thread of the logger's own writes what was handed over, so
/// that a reader that is slow or has stopped holds nothing up: lines wait for it in memory, and
/// beyond a limit they are dropped and counted.
package final class Logger: Sendable {
    /// Bytes that may wait to be written, unless a setting says otherwise.
    package static let defaultBufferBytes = 4 * 1024 * 1024
    /// Lines are kept back up to this many bytes in each place: in pieces of 8 KiB a line costs
    /// twice the time to write.
    private static let bytesKept = 48 * 1024
    /// So many threads keep their lines in places of their own.
    private static let placeCount = 16
    /// How long the end of the log may take, in ms.
    private static let closeMilliseconds: Int64 = 1000
    private static let closeRounds = 5

    private let level: LogLevel
    private let format: LogFormat
    private let queue: LogQueue
    private let thread: Mutex<Thread?>
    private let keptLines = MutexArray(count: placeCount) { KeptLines() }

    /// Logs what is at or above `level`, by default on stderr.
    ///
    /// - Parameters:
    ///   - level: The least that is logged.
    ///   - format: What the lines look like.
    ///   - bufferBytes: How much may wait to be written; what comes beyond it is dropped.
    ///   - descriptor: Where lines are written to; it must stay open until `close`.
    /// - Throws: `ThreadError` if the system has no thread for it.
    package init(
        level: LogLevel,
        format: LogFormat,
        bufferBytes: Int = defaultBufferBytes,
        descriptor: Int32 = STDERR_FILENO
    ) throws(ThreadError) {
        let queue = LogQueue(capacity: bufferBytes, format: format)
        self.level = level
        self.format = format
        self.queue = queue
        let thread = try Thread {
            var writer = LogWriter(descriptor: descriptor)
            writer.run(queue)
        }
        self.thread = Mutex(thread)
    }

    deinit {
        close()
    }

    /// Whether lines of this level are written.
    package func writes(_ level: LogLevel) -> Bool {
        level.rank >= self.level.rank
    }

    /// How many lines were dropped since the start, because they could not be written in time.
    package var droppedLines: Int { queue.droppedLines }

    /// Hands a line with named values over, in this order.
    package func log(_ level: LogLevel, _ message: String, _ fields: LogField...) {
        guard writes(level) else { return }
        let line = LogLine(time: .recent(), level: level, message: message, fields: fields)
        keptLines.withLock(at: Thread.number) { lines in
            line.write(to: &lines.bytes, as: format)
            queue.append(&lines.bytes)
        }
    }

    /// Keeps the line of an answered request until the next `flushThread` or `flush`.
    package func log(_ record: RequestRecord) {
        guard writes(.info) else { return }
        keptLines.withLock(at: Thread.number) { lines in
            let time = lines.text(of: record.time)
            switch format {
            case .text: record.writeText(to: &lines.bytes, time: time)
            case .json: record.writeJSON(to: &lines.bytes, time: time)
            }
            if lines.bytes.count >= Self.bytesKept { queue.append(&lines.bytes) }
        }
    }

    /// Hands over the lines that the calling thread has kept back; does not wait for the reader.
    package func flushThread() {
        keptLines.withLock(at: Thread.number) { lines in queue.append(&lines.bytes) }
    }

    /// Waits until all lines are written, for as long as the reader takes.
    package func flush() {
        handOver()
        queue.flush(atMostMilliseconds: nil)
    }

    /// Writes what is left and says how many lines were dropped in all if any were; what is logged
    /// later is lost.
    ///
    /// Waits until the reader has taken nothing for a second, or for five seconds in all.
    package func close() {
        let running = thread.withLock { thread in
            defer { thread = nil }
            return thread
        }
        guard let running else { return }
        handOver()
        queue.close()
        var writtenBytes: UInt64?
        for _ in 0..<Self.closeRounds where !queue.hasEnded {
            guard writtenBytes != queue.writtenBytes else { break }
            writtenBytes = queue.writtenBytes
            queue.flush(atMostMilliseconds: Self.closeMilliseconds)
        }
        // A thread that still waits for the reader ends with the process.
        if queue.hasEnded { running.join() } else { running.detach() }
    }

    private func handOver() {
        keptLines.forEach { lines in queue.append(&lines.bytes) }
    }
}

/// The lines that a thread keeps back.
private struct KeptLines: Sendable {
    var bytes: [UInt8] = []
    private var time = Timestamp.earliest
    private var timeText = TimeText(.earliest)

    /// The text of a time, made once for the lines that have the same.
    mutating func text(of time: Timestamp) -> TimeText {
        if time != self.time {
            self.time = time
            timeText = TimeText(time)
        }
        return timeText
    }
}
