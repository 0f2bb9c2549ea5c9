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
        output.append(addingCapacity: Self.bareBytes) { line in
            line.append("{\"time\":\"")
            time.write(to: &line)
            line.append("\",\"level\":\"info\",\"method\":")
        }
        output.append(quoting: method)
        output.append(",\"path\":")
        output.append(quoting: path)
        output.append(addingCapacity: Self.bareBytes) { line in
            line.append(",\"status\":")
            line.append(decimal: Int64(status))
            line.append(",\"bytes\":")
            line.append(decimal: Int64(bytes))
            line.append(",\"duration_ms\":")
            line.append(millisecondsOf: microseconds)
            line.append(",\"request_id\":")
        }
        output.append(quoting: requestID)
        output.append("}\n")
    }
}
