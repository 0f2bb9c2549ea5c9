/// Looks at a record as it is when it is about to be changed, and throws to leave it as it is.
package typealias Precondition<Record: Sendable> = @Sendable (Record) throws -> Void
