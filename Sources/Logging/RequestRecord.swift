import Bytes
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

    /// The greatest size of a line without the texts below.
    private static let bareBytes = 256

    /// The size of the texts from the request.
    private var textBytes: Int { method.utf8.count + path.utf8.count + requestID.utf8.count }

    func writeText(to output: inout [UInt8]) {
        output.append(addingCapacity: Self.bareBytes + textBytes) { line in
            line.append(copying: time.textBytes.span)
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

    /// Writes the line without `JSONWriter`, which takes twice the time.
    func writeJSON(to output: inout [UInt8]) {
        output.append(addingCapacity: Self.bareBytes + 2 * textBytes) { line in
            line.append(#"{"time":""#)
            line.append(copying: time.textBytes.span)
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
