package import JSON
package import Time

extension JSONWriter {
    /// Writes a member with a time or null.
    package mutating func field(_ key: StaticString, _ time: Timestamp?) {
        self.key(key)
        if let time { value(time) } else { null() }
    }

    /// Writes a time.
    package mutating func value(_ time: Timestamp) {
        quoted(time.textBytes.span)
    }
}
