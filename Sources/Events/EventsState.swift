/// A number that identifies a state of the stored events: different events have different states.
package struct EventsState: Equatable, Sendable {
    private let number: UInt64

    package init(_ number: UInt64) {
        self.number = number
    }
}
