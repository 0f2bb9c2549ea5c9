/// Checks the current state of a record, and throws to prevent its change.
package typealias Precondition<Record: Sendable> = @Sendable (Record) throws -> Void
