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
    let trace: TraceParent?

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
    ///   - trace: The ids of its `traceparent` header, if it has one.
    package init(
        time: Timestamp,
        method: String,
        path: String,
        status: Int,
        bytes: Int,
        microseconds: Int64,
        requestID: String,
        trace: TraceParent? = nil
    ) {
        self.time = time
        self.method = method
        self.path = path
        self.status = status
        self.bytes = bytes
        self.microseconds = microseconds
        self.requestID = requestID
        self.trace = trace
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
        trace?.withIDs { trace, _ in
            output.append(" trace=")
            output.append(copying: trace)
        }
        output.append("\n")
    }

    /// Writes the line without `JSONWriter`, which takes twice the time.
    func writeJSON(to output: inout [UInt8]) {
        output.append(#"{"time":""#)
        output.append(copying: time.textBytes.span)
        output.append(#"","level":"info","method":""#)
        output.append(printableJSON: method)
        output.append(#"","path":""#)
        output.append(printableJSON: path)
        output.append(#"","status":"#)
        output.append(decimal: Int64(status))
        output.append(#","bytes":"#)
        output.append(decimal: Int64(bytes))
        output.append(#","duration_ms":"#)
        output.append(millisecondsOf: microseconds)
        output.append(#","request_id":""#)
        output.append(printableJSON: requestID)
        trace?.withIDs { trace, parent in
            output.append(#"","trace_id":""#)
            output.append(copying: trace)
            output.append(#"","parent_id":""#)
            output.append(copying: parent)
        }
        output.append("\"}\n")
    }
}
