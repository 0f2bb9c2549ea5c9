import Threads

/// How long a request has spent at what may keep it waiting, for those who ask why it was slow.
///
/// Whatever keeps requests waiting finds the one it works for in `current`.
package final class RequestStages: Sendable {
    /// Those of the request that the current task answers; nil where nobody wants to know.
    @TaskLocal package static var current: RequestStages?

    /// What a request may wait for.
    package enum Stage: Int, CaseIterable, Sendable {
        /// For its turn to write.
        case writerQueue
        /// For its transaction, which it shares with others, to be durable.
        case transaction
        /// For its turn to have a password hashed.
        case hashingQueue
        /// For its password to be hashed.
        case hashing
    }

    private let totals = Mutex([Int64](repeating: 0, count: Stage.allCases.count))

    package init() {}

    /// Adds the time from one moment to another, in µs of the monotonic clock.
    package func add(_ stage: Stage, from began: Int64, to ended: Int64) {
        totals.withLock { $0[stage.rawValue] &+= max(0, ended &- began) }
    }

    /// The time spent at a stage so far, in µs.
    package subscript(stage: Stage) -> Int64 {
        totals.withLock { $0[stage.rawValue] }
    }
}

/// Notes when a piece of work for a request waits, begins and is done.
package struct StageWatch: Sendable {
    private let stages: RequestStages
    private let queue: RequestStages.Stage
    private let work: RequestStages.Stage
    private let queued = MonotonicClock.microseconds()
    private var began: Int64

    /// A watch for work that begins to wait now; nil if nobody wants to know.
    package init?(queue: RequestStages.Stage, work: RequestStages.Stage) {
        guard let stages = RequestStages.current else { return nil }
        self.stages = stages
        self.queue = queue
        self.work = work
        began = queued
    }

    /// The watch of the same work, which begins now.
    package func beginning() -> StageWatch {
        var watch = self
        watch.began = MonotonicClock.microseconds()
        return watch
    }

    /// Adds what there is to tell once the work is done.
    package func finish() {
        stages.add(queue, from: queued, to: began)
        stages.add(work, from: began, to: MonotonicClock.microseconds())
    }
}
