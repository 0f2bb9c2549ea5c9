import Bytes
import HTTP
package import Model

/// Shared tasks as an XML property list, the only format that the MyTasks app reads.
package enum PropertyListView {
    static let headers: Headers = ["content-type": "text/xml; charset=utf-8"]

    /// Returns an array of dictionaries with two strings each.
    package static func body(of tasks: [SharedTask]) -> ListBody {
        ListBody(
            count: tasks.count,
            begin: { list in
                list.append(
                    """
                    <?xml version="1.0" encoding="UTF-8"?>
                    <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" \
                    "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
                    <plist version="1.0">

                    """
                )
                list.append(tasks.isEmpty ? "<array/>\n" : "<array>\n")
            },
            elements: { range, list in
                for task in tasks[range] { append(task, to: &list) }
            },
            end: { list in
                list.append(tasks.isEmpty ? "</plist>\n" : "</array>\n</plist>\n")
            }
        )
    }

    private static func append(_ task: SharedTask, to list: inout [UInt8]) {
        list.append("<dict><key>taskID</key><string>")
        list.append(decimal: task.taskID)
        list.append("</string><key>name</key><string>")
        list.append(xml: task.name)
        list.append("</string></dict>\n")
    }
}
