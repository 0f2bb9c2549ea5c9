import Bytes
import JSON
import Time

/// The named values of a log line, in order.
package typealias LogFields = KeyValuePairs<StaticString, String>

/// The ids of a request in lines that say more than that it was served.
package struct LoggedRequest: Sendable {
    let id: String
    let trace: TraceParent?

    /// Creates the ids from the request's id, and from its `traceparent` header if it has one.
    package init(id: String, trace: TraceParent?) {
        self.id = id
        self.trace = trace
    }
}

/// A log line for anything but a request.
struct LogLine {
    let time: Timestamp
    let level: LogLevel
    let message: String
    /// The request that the line is about, if it is about one.
    var request: LoggedRequest?
    let fields: LogFields

    func write(to output: inout [UInt8], as format: LogFormat) {
        switch format {
        case .text: writeText(to: &output)
        case .json: writeJSON(to: &output)
        }
    }

    private func writeText(to output: inout [UInt8]) {
        output.append(copying: time.textBytes.span)
        output += " \(level.rawValue) ".utf8
        output.append(printable: message)
        if let request { Self.writeText("request_id", request.id, to: &output) }
        request?.trace?.withIDs { trace, _ in
            output.append(" trace=")
            output.append(copying: trace)
        }
        for (name, value) in fields { Self.writeText(name, value, to: &output) }
        output.append("\n")
    }

    private static func writeText(
        _ name: StaticString,
        _ value: String,
        to output: inout [UInt8]
    ) {
        output.append(" ")
        output.append(name)
        output.append("=")
        output.append(printable: value)
    }

    private func writeJSON(to output: inout [UInt8]) {
        JSONWriter.append(to: &output) { writer in
            writer.object { line in
                line.field("time", time.text)
                line.field("level", level.rawValue)
                line.field("message", printable: message)
                if let request { line.field("request_id", printable: request.id) }
                request?.trace?.withIDs { trace, parent in
                    line.key("trace_id")
                    line.quoted(trace)
                    line.key("parent_id")
                    line.quoted(parent)
                }
                for (name, value) in fields { line.field(name, printable: value) }
            }
        }
        output.append("\n")
    }
}

extension LogLevel {
    var rank: Int {
        switch self {
        case .debug: 0
        case .info: 1
        case .warning: 2
        case .error: 3
        }
    }
}
