/// A write, with the closures that report its outcome.
struct WriteJob: Sendable {
    /// Performs the write, and returns a closure that calls back the caller when it is durable.
    let perform: @Sendable (Connection) throws -> @Sendable () -> Void
    /// Reports an error to the caller.
    let fail: @Sendable (any Error) -> Void
}
