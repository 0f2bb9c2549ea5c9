import Bytes
package import HTTP
package import Model

/// Shared tasks as an XML property list, the only format that the MyTasks app reads.
package enum PropertyListView {
    /// The maximum sizes in bytes of a list without tasks, and of a task without its name.
    private static let bareBytes = 256
    private static let bareTaskBytes = 96

    /// Returns an array of dictionaries with two strings each.
    package static func response(_ tasks: [SharedTask]) -> Response {
        var list: [UInt8] = []
        list.reserveCapacity(
            tasks.reduce(bareBytes) { $0 + bareTaskBytes + $1.name.utf8.count }
        )
        list.append(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" \
            "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
            <plist version="1.0">

            """
        )
        if tasks.isEmpty {
            list.append("<array/>\n")
        } else {
            list.append("<array>\n")
            for task in tasks { append(task, to: &list) }
            list.append("</array>\n")
        }
        list.append("</plist>\n")
        return Response(.ok, headers: ["content-type": "text/xml; charset=utf-8"], body: list)
    }

    private static func append(_ task: SharedTask, to list: inout [UInt8]) {
        list.append("<dict><key>taskID</key><string>")
        list.append(decimal: task.taskID)
        list.append("</string><key>name</key><string>")
        append(text: task.name, to: &list)
        list.append("</string></dict>\n")
    }

    private static func append(text: String, to list: inout [UInt8]) {
        let bytes = text.utf8Span.span
        // Most names need no escapes, and checking the bytes takes a tenth of the time.
        guard bytes.hasSpecialXML else { return list.append(copying: bytes) }
        for scalar in text.unicodeScalars where scalar.isXML {
            switch scalar {
            case "&": list.append("&amp;")
            case "<": list.append("&lt;")
            case ">": list.append("&gt;")
            // A parser would turn it into a line feed.
            case "\r": list.append("&#13;")
            default:
                list.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
            }
        }
    }
}

extension Span<UInt8> {
    /// Whether the UTF-8 may contain a character that must be escaped or omitted in XML.
    ///
    /// 0xEF is the first byte of U+FFFE and U+FFFF, among others.
    fileprivate var hasSpecialXML: Bool {
        for index in indices {
            switch self[index] {
            case 0..<0x20, UInt8(ascii: "&"), UInt8(ascii: "<"), UInt8(ascii: ">"), 0xEF:
                return true
            default: break
            }
        }
        return false
    }
}
