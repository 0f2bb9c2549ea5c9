import Glibc
package import System
import Time

/// The severity of a log line.
package enum LogLevel: String, CaseIterable, Sendable {
    case debug, info, warning, error
}

/// The format of log lines: text for people, or one JSON object per line.
package enum LogFormat: String, CaseIterable, Sendable {
    case text, json
}

/// Writes the log to a descriptor, in whole lines.
///
/// The lines of requests are collected and queued together; other lines are queued immediately. The
/// logger's own thread writes the queue, so that a slow or stopped reader never blocks the server.
/// When the queue is full, lines are dropped and counted.
package final class Logger: Sendable {
    /// The default size of the queue, in bytes.
    package static let defaultBufferBytes = 4 * 1024 * 1024
    /// The number of bytes to collect; with 8 KiB, writing a line costs twice the time.
    private static let bytesKept = 48 * 1024
    /// The time limit for each round of closing, in ms.
    private static let closeMilliseconds: Int64 = 1000
    private static let closeRounds = 5

    private let level: LogLevel
    private let format: LogFormat
    private let queue: LogQueue
    private let thread: Mutex<POSIXThread?>
    private let lines = Mutex<[UInt8]>([])

    /// Starts a logger, by default for standard error.
    ///
    /// - Parameters:
    ///   - level: The minimum level.
    ///   - format: The format of the lines.
    ///   - bufferBytes: The size of the queue; lines that don't fit are dropped.
    ///   - descriptor: The descriptor to write to, which must stay open until `close`.
    /// - Throws: `ThreadError` if the thread can't be started.
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
        let thread = try POSIXThread {
            var writer = LogWriter(descriptor: descriptor)
            writer.run(queue)
        }
        self.thread = Mutex(thread)
    }

    deinit {
        close()
    }

    /// Returns whether lines of this level are logged.
    package func writes(_ level: LogLevel) -> Bool {
        level.rank >= self.level.rank
    }

    /// The number of lines dropped since the start.
    package var droppedLines: Int { queue.droppedLines }

    /// Queues a line with named values, in this order, after the ids of the request if it is given.
    ///
    /// The ids are only read if lines of this level are logged.
    package func log(
        _ level: LogLevel,
        _ message: String,
        of request: @autoclosure () -> LoggedRequest? = nil,
        _ fields: LogFields = [:]
    ) {
        guard writes(level) else { return }
        let line = LogLine(
            time: .recent(),
            level: level,
            message: message,
            request: request(),
            fields: fields
        )
        lines.withLock { lines in
            line.write(to: &lines, as: format)
            queue.append(&lines)
        }
    }

    /// Stores the line of a request until the next `flushThread` or `flush`.
    package func log(_ record: RequestRecord) {
        guard writes(.info) else { return }
        lines.withLock { lines in
            switch format {
            case .text: record.writeText(to: &lines)
            case .json: record.writeJSON(to: &lines)
            }
            if lines.count >= Self.bytesKept { queue.append(&lines) }
        }
    }

    /// Queues the collected lines, without waiting.
    package func flushThread() {
        lines.withLock { lines in queue.append(&lines) }
    }

    /// Waits without a time limit until all lines are written.
    package func flush() {
        flushThread()
        queue.flush(atMostMilliseconds: nil)
    }

    /// Writes the remaining lines and the number of dropped ones; later lines are lost.
    ///
    /// It waits until nothing was written for a second, or for five seconds in total.
    package func close() {
        let running = thread.withLock { thread in
            defer { thread = nil }
            return thread
        }
        guard let running else { return }
        flushThread()
        queue.close()
        var writtenBytes: UInt64?
        for _ in 0..<Self.closeRounds where !queue.hasEnded {
            guard writtenBytes != queue.writtenBytes else { break }
            writtenBytes = queue.writtenBytes
            queue.flush(atMostMilliseconds: Self.closeMilliseconds)
        }
        // If the thread still waits for the reader, it ends with the process.
        if queue.hasEnded { running.join() } else { running.detach() }
    }
}
