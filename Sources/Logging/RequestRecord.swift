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

    func writeText(to output: inout [UInt8]) {
        time.write(to: &output)
        output.appendText(" info ")
        output.appendPrintable(method)
        output.appendText(" ")
        output.appendPrintable(path)
        output.appendText(" ")
        output.appendDecimal(Int64(status))
        output.appendText(" ")
        output.appendDecimal(Int64(bytes))
        output.appendText("B ")
        output.appendMilliseconds(microseconds)
        output.appendText("ms ")
        output.appendPrintable(requestID)
        output.appendText("\n")
    }

    func writeJSON(to output: inout [UInt8]) {
        output.appendText("{\"time\":\"")
        time.write(to: &output)
        output.appendText("\",\"level\":\"info\",\"method\":")
        output.appendQuoted(method)
        output.appendText(",\"path\":")
        output.appendQuoted(path)
        output.appendText(",\"status\":")
        output.appendDecimal(Int64(status))
        output.appendText(",\"bytes\":")
        output.appendDecimal(Int64(bytes))
        output.appendText(",\"duration_ms\":")
        output.appendMilliseconds(microseconds)
        output.appendText(",\"request_id\":")
        output.appendQuoted(requestID)
        output.appendText("}\n")
    }
}
