/// How events are represented to clients, in bytes that a storage may keep.
package struct EventRepresentation: Sendable {
    /// Returns the bytes of an event.
    package let event: @Sendable (Event) -> [UInt8]

    /// Creates a representation; `event` returns that of an event.
    package init(event: @escaping @Sendable (Event) -> [UInt8]) {
        self.event = event
    }
}
