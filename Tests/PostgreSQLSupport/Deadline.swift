import Testing

/// Waits in tests that end also if what they wait for never happens.
package enum Deadline {
    /// Waits until a condition holds, or records an issue after ten minutes.
    package static func wait(until condition: () async throws -> Bool) async throws {
        let end = ContinuousClock.now.advanced(by: .seconds(600))
        while try await !condition() {
            guard ContinuousClock.now < end else {
                Issue.record("the condition did not hold within ten minutes")
                return
            }
            await Task.yield()
        }
    }
}
