import Bytes
import HTTP
package import Model

/// Shared tasks as an XML property list, the only format that the MyTasks app reads.
package enum PropertyListView {
    /// The maximum sizes in bytes of a list without tasks, and of a task without its name.
    private static let bareBytes = 256
    private static let bareTaskBytes = 96

    static let headers: Headers = ["content-type": "text/xml; charset=utf-8"]

    /// Returns an array of dictionaries with two strings each.
    package static func body(of tasks: [SharedTask]) -> ListBody {
        let names = tasks.reduce(0) { $0 + $1.name.utf8.count }
        return ListBody(
            count: tasks.count,
            capacity: bareBytes + tasks.count * bareTaskBytes + names,
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
