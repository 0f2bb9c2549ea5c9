import JSON
import Model

extension JSONWriter {
    /// Writes a member with a time or null.
    mutating func field(_ key: StaticString, _ time: Timestamp?) {
        self.key(key)
        guard let time else { return null() }
        quoted(capacity: Timestamp.textLength) { output in time.write(to: &output) }
    }
}
