import Events
import Formats
import HTTP
import JSON
import Model

/// A page of changes as JSON.
enum ChangeView {
    /// Returns the JSON of a page, whose next page has a cursor.
    static func json(_ page: ChangePage, cursor: String) -> [UInt8] {
        var writer = JSONWriter()
        writer.object { json in
            json.array("changes", page.changes) { json, change in json.change(change) }
            json.field("cursor", cursor)
            json.field("more", page.hasMore)
        }
        return writer.bytes
    }

    /// Returns changes as the blocks of a stream; `digits` are those of the filter in cursors.
    static func blocks(_ changes: [RecordChange], digits: String) -> [UInt8] {
        changes.flatMap { change in
            ServerSentEvents.event(
                "change",
                id: ChangeCursor.text(of: change.position, digits: digits)
            ) { $0.change(change) }
        }
    }
}

extension JSONWriter {
    /// Writes a change of a record.
    mutating func change(_ change: RecordChange) {
        object { json in
            json.field("op", change.operation.rawValue)
            switch change.record {
            case .event(let id, let event):
                json.field("type", "event")
                json.field("id", id)
                if let event { json.record("event", event.json) }
            case .attendance(let id, let attendance, let event):
                json.field("type", "attendance")
                json.field("id", id)
                guard let attendance else { return }
                json.object("attendance") { json in
                    json.field("id", attendance.id)
                    json.object("user") { $0.field("id", attendance.userID) }
                    json.key("event")
                    if let event {
                        json.encoded(event.json.span)
                    } else {
                        json.object { $0.field("id", attendance.eventID) }
                    }
                }
            case .task(let id, let task):
                json.field("type", "task")
                json.field("id", id)
                if let task { json.record("task", TodoTaskView.response(task).body[...]) }
            }
        }
    }

    /// Writes the version of a record, which is its entity tag without quotes, and the record.
    private mutating func record(_ key: StaticString, _ json: ArraySlice<UInt8>) {
        field("version", String(ETag.make(for: json.span).dropFirst().dropLast()))
        self.key(key)
        encoded(json.span)
    }
}
