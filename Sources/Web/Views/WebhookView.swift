import Formats
import JSON
package import Model
package import Time

/// A message to the receiver of a webhook as JSON.
package enum WebhookView {
    /// Returns the JSON of a message; `changes` is nil for types without them.
    package static func json(
        type: String,
        timestamp: Timestamp,
        webhookID: Int64,
        changes: [RecordChange]?
    ) -> [UInt8] {
        JSONWriter.bytes { writer in
            writer.object { json in
                json.field("type", type)
                json.field("timestamp", timestamp)
                json.object("data") { json in
                    json.field("webhook", webhookID)
                    if let changes {
                        json.array("changes", changes) { json, change in json.change(change) }
                    }
                }
            }
        }
    }
}
