import Bytes
import JSON
import Time

/// A named value of a log line.
package struct LogField: Sendable {
    let name: StaticString
    let value: String

    package init(_ name: StaticString, _ value: String) {
        self.name = name
        self.value = value
    }
}

/// A log line for anything but a request.
struct LogLine {
    let time: Timestamp
    let level: LogLevel
    let message: String
    let fields: [LogField]

    func write(to output: inout [UInt8], as format: LogFormat) {
        switch format {
        case .text: writeText(to: &output)
        case .json: writeJSON(to: &output)
        }
    }

    private func writeText(to output: inout [UInt8]) {
        var count = 64 + message.utf8.count
        for field in fields { count += field.name.utf8CodeUnitCount + field.value.utf8.count + 2 }
        output.append(addingCapacity: count) { line in
            line.append(copying: time.textBytes.span)
            line.append(" ")
            line.append(level.name)
            line.append(" ")
            line.append(printable: message)
            for field in fields {
                line.append(" ")
                line.append(field.name)
                line.append("=")
                line.append(printable: field.value)
            }
            line.append("\n")
        }
    }

    private func writeJSON(to output: inout [UInt8]) {
        var writer = JSONWriter()
        writer.object { line in
            line.field("time", time.text)
            line.field("level", level.name.description)
            line.field("message", printable: message)
            for field in fields { line.field(field.name, printable: field.value) }
        }
        output.append(contentsOf: writer.bytes)
        output.append("\n")
    }
}

extension LogLevel {
    var name: StaticString {
        switch self {
        case .debug: "debug"
        case .info: "info"
        case .warning: "warning"
        case .error: "error"
        }
    }

    var rank: Int {
        switch self {
        case .debug: 0
        case .info: 1
        case .warning: 2
        case .error: 3
        }
    }
}
