import Bytes
package import Model

/// What the log says of an answered request: never its query, its body or its header fields.
package struct RequestRecord: Sendable {
    let time: Timestamp
    let method: String
    let path: String
    let status: Int
    let bytes: Int
    let microseconds: Int64
    let requestID: String

    /// A request that was answered at `time`, to within some ms, with a body of `bytes` bytes,
    /// `microseconds` after its first byte had arrived.
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
    private static let bareBytes = 256

    /// Bytes of the texts from outside.
    private var textBytes: Int { method.utf8.count + path.utf8.count + requestID.utf8.count }

    @inline(__always)
    func writeText(to output: inout [UInt8], time: TimeText) {
        output.append(addingCapacity: Self.bareBytes + textBytes) { line in
            line.append(copying: time.bytes.span)
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

    /// Without `JSONWriter`, which takes twice the time: there is a line for each request.
    @inline(__always)
    func writeJSON(to output: inout [UInt8], time: TimeText) {
        output.append(addingCapacity: Self.bareBytes + 2 * textBytes) { line in
            line.append(#"{"time":""#)
            line.append(copying: time.bytes.span)
            line.append(#"","level":"info","method":""#)
            line.append(printableJSON: method)
            line.append(#"","path":""#)
            line.append(printableJSON: path)
            line.append(#"","status":"#)
            line.append(decimal: Int64(status))
            line.append(#","bytes":"#)
            line.append(decimal: Int64(bytes))
            line.append(#","duration_ms":"#)
            line.append(millisecondsOf: microseconds)
            line.append(#","request_id":""#)
            line.append(printableJSON: requestID)
            line.append("\"}\n")
        }
    }
}
