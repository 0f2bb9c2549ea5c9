import System

/// The times that a request spent waiting, for the log of slow requests.
///
/// Code that makes requests wait finds the current request's stages in `current`.
package final class RequestStages: Sendable {
    /// The stages of the current task's request; nil if they are not recorded.
    @TaskLocal package static var current: RequestStages?

    /// A stage that a request can wait for.
    package enum Stage: Int, CaseIterable, Sendable {
        /// Its turn in the writer's queue.
        case writerQueue
        /// Its transaction, until that is durable.
        case transaction
        /// Its turn in the queue for password hashing.
        case hashingQueue
        /// The hash of its password.
        case hashing
    }

    private let totals = Mutex([Int64](repeating: 0, count: Stage.allCases.count))

    package init() {}

    /// Adds the time between two moments, in µs of the monotonic clock.
    package func add(_ stage: Stage, from began: Int64, to ended: Int64) {
        totals.withLock { $0[stage.rawValue] &+= max(0, ended &- began) }
    }

    /// Returns the time spent in a stage so far, in µs.
    package subscript(stage: Stage) -> Int64 {
        totals.withLock { $0[stage.rawValue] }
    }
}

/// A stopwatch for the time that a request's work waits in a queue, and then takes.
package struct StageWatch: Sendable {
    private let stages: RequestStages
    private let queue: RequestStages.Stage
    private let work: RequestStages.Stage
    private let queued = MonotonicClock.microseconds()
    private var began: Int64

    /// Creates a watch for work that is queued now; nil if stages are not recorded.
    package init?(queue: RequestStages.Stage, work: RequestStages.Stage) {
        guard let stages = RequestStages.current else { return nil }
        self.stages = stages
        self.queue = queue
        self.work = work
        began = queued
    }

    /// Returns the watch for work that starts now.
    package func beginning() -> StageWatch {
        var watch = self
        watch.began = MonotonicClock.microseconds()
        return watch
    }

    /// Records the times; call it when the work is done.
    package func finish() {
        stages.add(queue, from: queued, to: began)
        stages.add(work, from: began, to: MonotonicClock.microseconds())
    }
}
