import Glibc
import JSON
import Model
import Synchronization

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
/// A request's line is written with those of the other requests that were answered in the same
/// moment, by one call when the event loop calls `flush`; every other line is written at once.
package final class Logger: Sendable {
    /// Lines are kept back up to this many bytes.
    private static let bytesKept = 64 * 1024

    private let level: LogLevel
    private let format: LogFormat
    private let descriptor: Int32
    private let kept = Mutex<[UInt8]>([])

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
        let line = LogLine(time: .now(), level: level, message: message, fields: fields)
        append(line, flushing: true)
    }

    /// Keeps the line of an answered request until the next `flush`.
    package func log(_ record: RequestRecord) {
        guard writes(.info) else { return }
        append(record, flushing: false)
    }

    /// Writes the lines that were kept back.
    package func flush() {
        kept.withLock { lines in write(&lines) }
    }

    private func append(_ line: some LogEntry, flushing: Bool) {
        kept.withLock { lines in
            switch format {
            case .text: line.writeText(to: &lines)
            case .json: line.writeJSON(to: &lines)
            }
            if flushing || lines.count >= Self.bytesKept { write(&lines) }
        }
    }

    /// What can't be written is lost: a log must not stop the server.
    private func write(_ lines: inout [UInt8]) {
        var written = 0
        while written < lines.count {
            let count = unsafe lines.withUnsafeBytes { bytes in
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
        lines.removeAll(keepingCapacity: true)
    }
}

/// Something that is one line of a log.
protocol LogEntry {
    func writeText(to output: inout [UInt8])
    func writeJSON(to output: inout [UInt8])
}
