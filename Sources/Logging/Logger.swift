import Glibc
import Model
import Threads

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
/// A request's line is kept back, to be written together with those of other requests by one call;
/// every other line is written at once.
package final class Logger: Sendable {
    /// Lines are kept back up to this many bytes in each place: in pieces of 8 KiB a line costs
    /// twice the time to write, and who fills the 64 KiB of a pipe waits for its reader (pipe(7)).
    private static let bytesKept = 48 * 1024
    private static let newline = UInt8(ascii: "\n")
    /// So many threads keep their lines in places of their own.
    private static let placeCount = 16

    private let level: LogLevel
    private let format: LogFormat
    private let descriptor: Int32
    /// Whether the last line that was written has lost its end.
    ///
    /// Held while writing: a pipe or a socket takes only some kilobytes before it lets another
    /// writer in, in the middle of a line.
    private let isTorn = Mutex(false)
    private let keptLines = MutexArray(count: placeCount) { KeptLines() }

    /// Logs what is at or above `level`, by default on stderr.
    package init(level: LogLevel, format: LogFormat, descriptor: Int32 = STDERR_FILENO) {
        self.level = level
        self.format = format
        self.descriptor = descriptor
    }

    /// Whether lines of this level are written.
    package func writes(_ level: LogLevel) -> Bool {
        level.rank >= self.level.rank
    }

    /// Writes a line with named values, in this order.
    package func log(_ level: LogLevel, _ message: String, _ fields: LogField...) {
        guard writes(level) else { return }
        let line = LogLine(time: .recent(), level: level, message: message, fields: fields)
        keptLines.withLock(at: Thread.number) { lines in
            switch format {
            case .text: line.writeText(to: &lines.bytes)
            case .json: line.writeJSON(to: &lines.bytes)
            }
            write(&lines.bytes)
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
            if lines.bytes.count >= Self.bytesKept { write(&lines.bytes) }
        }
    }

    /// Writes the lines that the calling thread has kept back.
    package func flushThread() {
        keptLines.withLock(at: Thread.number) { lines in write(&lines.bytes) }
    }

    /// Writes the lines that were kept back.
    package func flush() {
        keptLines.forEach { lines in write(&lines.bytes) }
    }

    /// What can't be written is lost, as where a descriptor that does not block has no room: a log
    /// must not stop the server.
    private func write(_ lines: inout [UInt8]) {
        if lines.isEmpty { return }
        isTorn.withLock { isTorn in
            if isTorn { isTorn = writeBytes([Self.newline]) == 0 }
            if isTorn { return }
            let count = writeBytes(lines)
            isTorn = count > 0 && lines[count - 1] != Self.newline
        }
        lines.removeAll(keepingCapacity: true)
    }

    /// Writes what can be written, and returns how many bytes that were.
    private func writeBytes(_ bytes: [UInt8]) -> Int {
        var written = 0
        while written < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { bytes in
                unsafe Glibc.write(
                    descriptor,
                    bytes.baseAddress.map { start in unsafe start + written },
                    bytes.count - written
                )
            }
            if count < 0 && errno == EINTR { continue }
            if count <= 0 { break }
            written += count
        }
        return written
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
