import Glibc
import JSON
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
    /// Lines are kept back up to this many bytes in each place: so few stay in the cache of a core
    /// beside what a request needs, which took 0.5 µs longer with 32 KiB.
    private static let bytesKept = 8 * 1024
    /// Threads keep their lines in different places, as far as there are: in one, the event loops
    /// would wait for each other and for each other's memory at every request.
    private static let placeBits = 3

    private let level: LogLevel
    private let format: LogFormat
    private let descriptor: Int32
    private let places = (0..<1 << placeBits).map { _ in KeptLines() }

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

    /// Keeps the line of an answered request until the next `flushThread` or `flush`.
    package func log(_ record: RequestRecord) {
        guard writes(.info) else { return }
        append(record, flushing: false)
    }

    /// Writes the lines that the calling thread has kept back.
    package func flushThread() {
        place.lines.withLock { lines in write(&lines) }
    }

    /// Writes the lines that were kept back.
    package func flush() {
        for place in places {
            place.lines.withLock { lines in write(&lines) }
        }
    }

    private func append(_ line: some LogEntry, flushing: Bool) {
        place.lines.withLock { lines in
            switch format {
            case .text: line.writeText(to: &lines)
            case .json: line.writeJSON(to: &lines)
            }
            if flushing || lines.count >= Self.bytesKept { write(&lines) }
        }
    }

    /// Where the calling thread keeps its lines.
    private var place: KeptLines {
        // The threads' handles are far apart; the multiplication (Knuth 1998, section 6.4) makes
        // their upper bits differ.
        let hash = UInt64(UInt(pthread_self())) &* 0x9E37_79B9_7F4A_7C15
        return places[Int(hash >> UInt64(64 - Self.placeBits))]
    }

    /// What can't be written is lost: a log must not stop the server.
    private func write(_ lines: inout [UInt8]) {
        if lines.isEmpty { return }
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

/// Lines that are not written yet.
private final class KeptLines: Sendable {
    let lines = Mutex<[UInt8]>([])
}

/// Something that is one line of a log.
protocol LogEntry {
    func writeText(to output: inout [UInt8])
    func writeJSON(to output: inout [UInt8])
}
