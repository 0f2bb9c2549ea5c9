import Bytes
import JSON
package import Model

/// What the log says of an answered request: never its query, its body or its header fields.
package struct RequestRecord: LogEntry, Sendable {
    let time: Timestamp
    let method: String
    let path: String
    let status: Int
    let bytes: Int
    let microseconds: Int64
    let requestID: String

    /// A request that was answered at `time` with a body of `bytes` bytes, `microseconds` after
    /// it had arrived.
    package init(
        time: Timestamp,
        method: String,
        path: String,
        status: Int,
        bytes: Int,
        microseconds: Int64,
        requestID: String
    ) {
        self.time = time
        self.method = method
        self.path = path
        self.status = status
        self.bytes = bytes
        self.microseconds = microseconds
        self.requestID = requestID
    }

    /// Bytes of a line without its texts, at most.
    private static let bareBytes = 192

    func writeText(to output: inout [UInt8]) {
        let count = method.utf8.count + path.utf8.count + requestID.utf8.count
        output.append(addingCapacity: Self.bareBytes + count) { line in
            time.write(to: &line)
            line.append(" info ")
            line.append(printable: method)
            line.append(" ")
            line.append(printable: path)
            line.append(" ")
            line.append(decimal: Int64(status))
            line.append(" ")
            line.append(decimal: Int64(bytes))
            line.append("B ")
            line.append(millisecondsOf: microseconds)
            line.append("ms ")
            line.append(printable: requestID)
            line.append("\n")
        }
    }

    func writeJSON(to output: inout [UInt8]) {
        var writer = JSONWriter()
        writer.object { line in
            line.key("time")
            line.quoted(capacity: Timestamp.textLength) { text in time.write(to: &text) }
            line.field("level", "info")
            line.field("method", printable: method)
            line.field("path", printable: path)
            line.field("status", status)
            line.field("bytes", bytes)
            line.key("duration_ms")
            line.number(capacity: 24) { number in number.append(millisecondsOf: microseconds) }
            line.field("request_id", printable: requestID)
        }
        writer.append(to: &output)
        output.append("\n")
    }
}
