import Bytes
import JSON
package import Time

/// A request in the log, without its query, body and headers.
package struct RequestRecord: Sendable {
    let time: Timestamp
    let method: String
    let path: String
    let status: Int
    let bytes: Int
    let microseconds: Int64
    let requestID: String

    /// Creates a record.
    ///
    /// - Parameters:
    ///   - time: The time of the response, accurate to some ms.
    ///   - method: The method.
    ///   - path: The path without the query.
    ///   - status: The status code.
    ///   - bytes: The size of the response's body.
    ///   - microseconds: The time since the request's first byte arrived.
    ///   - requestID: The id of the request.
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

    func writeText(to output: inout [UInt8]) {
        output.append(copying: time.textBytes.span)
        output.append(" info ")
        output.append(printable: method)
        output.append(" ")
        output.append(printable: path)
        output.append(" ")
        output.append(decimal: Int64(status))
        output.append(" ")
        output.append(decimal: Int64(bytes))
        output.append("B ")
        output.append(millisecondsOf: microseconds)
        output.append("ms ")
        output.append(printable: requestID)
        output.append("\n")
    }

    func writeJSON(to output: inout [UInt8]) {
        var duration: [UInt8] = []
        duration.append(millisecondsOf: microseconds)
        JSONWriter.append(to: &output) { writer in
            writer.object { line in
                line.key("time")
                line.quoted(time.textBytes.span)
                line.field("level", "info")
                line.field("method", printable: method)
                line.field("path", printable: path)
                line.field("status", status)
                line.field("bytes", bytes)
                line.key("duration_ms")
                line.encoded(duration.span)
                line.field("request_id", printable: requestID)
            }
        }
        output.append("\n")
    }
}
