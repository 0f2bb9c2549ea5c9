import Bytes
package import HTTP
package import Model

/// Shared tasks as an XML property list, the one form that the MyTasks app reads.
package enum PropertyListView {
    /// An array of dictionaries of two strings.
    package static func response(_ tasks: [SharedTask]) -> Response {
        var list: [UInt8] = []
        list.reserveCapacity(256 + tasks.count * 128)
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
        for scalar in task.name.unicodeScalars where scalar.isXML {
            switch scalar {
            case "&": list.append("&amp;")
            case "<": list.append("&lt;")
            case ">": list.append("&gt;")
            // A parser would make a line feed of it.
            case "\r": list.append("&#13;")
            default:
                list.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
            }
        }
        list.append("</string></dict>\n")
    }
}
