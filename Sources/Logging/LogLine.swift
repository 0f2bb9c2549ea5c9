import Bytes
import JSON
import Time

/// The named values of a log line, in order.
package typealias LogFields = KeyValuePairs<StaticString, String>

/// A log line for anything but a request.
struct LogLine {
    let time: Timestamp
    let level: LogLevel
    let message: String
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
        for (name, value) in fields {
            output.append(" ")
            output.append(name)
            output.append("=")
            output.append(printable: value)
        }
        output.append("\n")
    }

    private func writeJSON(to output: inout [UInt8]) {
        JSONWriter.append(to: &output) { writer in
            writer.object { line in
                line.field("time", time.text)
                line.field("level", level.rawValue)
                line.field("message", printable: message)
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
