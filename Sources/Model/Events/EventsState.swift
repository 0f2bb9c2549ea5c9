/// Identifies a state of the stored events: different events have different states.
package enum EventsState: Equatable, Sendable {
    /// A state of the events in memory.
    case memory(UInt64)
    /// A state of a database: numbers that each commit changes.
    case database(UInt64, UInt64, UInt64, UInt64)
}
