import System
import Glibc

/// A connection of a loop in pipeline mode, and the queries whose results it waits for.
///
/// Belongs to its loop's thread.
final class PipelinedSession: DescriptorWatcher {
    /// A command that was sent, whose result comes in the same order.
    private enum Item {
        case preparation(PendingRead)
        case query(PendingRead)
        case sync
    }

    private let session: Session
    private let descriptor: Int32
    private let descriptors: WatchedDescriptors
    private unowned let group: LoopSessions
    /// The sent items, from `first` on.
    private var items: [Item] = []
    private var first = 0
    private var hasResult = false
    private var needsSync = false
    private var isLost = false
    /// The job that must be sent again once its last result is gone.
    private var aborted: PendingRead?
    /// The number of queries whose results are missing.
    private(set) var outstanding = 0

    /// Takes over a connection in pipeline mode; nil if the loop can't watch it.
    init?(_ session: Session, _ descriptors: WatchedDescriptors, group: LoopSessions) {
        self.session = session
        self.descriptors = descriptors
        self.group = group
        descriptor = session.descriptor
        guard descriptors.watch(descriptor, for: .reading, self) else { return nil }
    }

    /// Closes the connection and returns the jobs without results, in order.
    func close() -> [PendingRead] {
        descriptors.unwatch(descriptor)
        isLost = true
        var jobs: [PendingRead] = []
        for item in items[first...] {
            if case .query(let job) = item { jobs.append(job) }
        }
        items = []
        first = 0
        outstanding = 0
        return jobs
    }

    /// The error for a connection that libpq can't use.
    var lossError: PostgreSQLError { session.lossError() }

    /// The earliest job that waits for a result.
    var oldestJob: PendingRead? {
        for item in items[first...] {
            if case .query(let job) = item { return job }
        }
        return nil
    }

    // MARK: Sending

    /// Queues the command of a job until `finishBatch`, or returns false if the connection is lost.
    ///
    /// A job that is sent apart shares no error with others.
    func send(_ job: PendingRead, apart: Bool) -> Bool {
        if apart && !syncIfNeeded() { return false }
        job.begin()
        if session.mustPrepare(job.command) {
            guard session.sendPrepare(job.command) else { return false }
            items.append(.preparation(job))
        }
        guard session.sendQuery(job.command) else { return false }
        items.append(.query(job))
        outstanding += 1
        needsSync = true
        return apart ? syncIfNeeded() : true
    }

    /// Sends what is queued; false if the connection is lost.
    func finishBatch() -> Bool {
        guard needsSync else { return true }
        return syncIfNeeded() && flush()
    }

    private func syncIfNeeded() -> Bool {
        guard needsSync else { return true }
        needsSync = false
        items.append(.sync)
        return session.sync()
    }

    private func flush() -> Bool {
        switch session.flush() {
        case .finished: descriptors.watch(descriptor, for: .reading, self)
        case .unfinished: descriptors.watch(descriptor, for: .readingAndWriting, self)
        case .failed: false
        }
    }

    // MARK: Receiving

    func descriptorIsReady(_ descriptor: Int32) {
        guard session.consumeInput() else {
            takeResults()
            return group.lose(self, session.lossError())
        }
        takeResults()
        if isLost { return }
        // Also those that another client of a pooler has subscribed to, which libpq would keep.
        let payloads = session.takeNotifications()
        if !payloads.isEmpty { group.notifications?.receive(payloads) }
        if session.isLost || !flush() { group.lose(self, session.lossError()) }
    }

    /// Takes the results that have arrived.
    private func takeResults() {
        // libpq returns nil after each command's results, and once more before some commands.
        var isAfterNil = false
        while !isLost, !session.isBusy {
            guard let result = session.nextResult() else {
                if hasResult {
                    finishFirst()
                } else if isAfterNil {
                    return
                }
                isAfterNil = true
                continue
            }
            isAfterNil = false
            take(result)
        }
    }

    private static let disorder = PostgreSQLError(
        .unreachable,
        message: "the results are not in order"
    )

    private func take(_ result: QueryResult) {
        // libpq leaves out the nil if something is sent after the last result.
        if hasResult { finishFirst() }
        guard !isLost, first < items.count else { return }
        let item = items[first]
        if result.isSync {
            // Nil doesn't follow this one. A sync in another place would give later queries the
            // results of others.
            guard case .sync = item else { return group.lose(self, Self.disorder) }
            return removeFirst()
        }
        hasResult = true
        if let error = result.loss { return group.lose(self, error) }
        switch item {
        case .sync: break
        case .preparation(let job): note(result, ofPreparing: job)
        case .query(let job):
            outstanding -= 1
            note(result, of: job)
        }
    }

    private func note(_ result: QueryResult, ofPreparing job: PendingRead) {
        // The same name means the same text. What follows is aborted, and sent again.
        if result.isSuccess || result.state == .duplicateStatement { return }
        session.forget(job.command)
        if !result.isAborted { job.note(failedPreparation: result.error(in: job.command.sql)) }
    }

    private func note(_ result: QueryResult, of job: PendingRead) {
        job.note(result)
        if result.state == .unknownStatement { session.forget(job.command) }
        if job.mustRepeat {
            aborted = job
        } else {
            job.finish()
        }
    }

    /// Removes the first item, whose result was taken.
    private func finishFirst() {
        hasResult = false
        removeFirst()
    }

    private func removeFirst() {
        let item = items[first]
        first += 1
        if first == items.count {
            items.removeAll(keepingCapacity: true)
            first = 0
        } else if first >= 1024 {
            items.removeFirst(first)
            first = 0
        }
        guard case .query(let job) = item, aborted === job else { return }
        aborted = nil
        group.repeatJob(job)
    }
}
