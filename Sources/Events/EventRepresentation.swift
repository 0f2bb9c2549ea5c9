/// How events are represented in memory: to clients, in bytes, and to searches, by terms.
package struct EventRepresentation: Sendable {
    /// Returns the bytes of an event.
    package let event: @Sendable (Event) -> [UInt8]
    /// The terms by which searches find events.
    package var terms = TermRules(maximumWords: TermRules.usualWords)

    /// Creates a representation; `event` returns that of an event.
    package init(event: @escaping @Sendable (Event) -> [UInt8]) {
        self.event = event
    }
}
