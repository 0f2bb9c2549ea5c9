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
        list.append(xml: task.name)
        list.append("</string></dict>\n")
    }
}
