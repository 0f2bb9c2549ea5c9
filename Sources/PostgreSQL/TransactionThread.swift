import Glibc
import System

/// The only connection that changes the database, on its own thread.
///
/// Writes that wait at the same time share a transaction. If one of them fails, nothing of them is
/// stored, and each is repeated in a transaction of its own, in order.
final class TransactionThread: Sendable {
    private let queue: JobQueue<TransactionJob>
    private let thread = Mutex<POSIXThread?>(nil)
    private let counters = Mutex(TransactionTotals())

    /// Starts the thread.
    init(_ configuration: DatabaseOptions, connector: Connector) throws(ThreadError) {
        let queue = JobQueue<TransactionJob>(capacity: configuration.queuedWrites)
        self.queue = queue
        let started = try POSIXThread { [weak self] in
            let committer = TransactionPerformer(configuration, connector) { change in
                self?.counters.withLock { change(&$0) }
            }
            while case .jobs(let jobs) = queue.take(
                configuration.batchedWrites,
                byteLimit: configuration.batchedBytes,
                size: \.byteCount
            ) {
                committer.perform(jobs)
            }
            committer.close()
        }
        thread.withLock { $0 = started }
    }

    /// The number of waiting writes.
    var queuedWrites: Int { queue.count }

    /// Queues a job, or fails it.
    func append(_ job: TransactionJob) {
        switch queue.append(job) {
        case .queueFull:
            let full = PostgreSQLError(.overloaded, message: "too many writes wait")
            job.finish(.failure(full))
        case .stopped: job.finish(.failure(.stopped))
        case nil: break
        }
    }

    /// The totals since the start.
    var totals: TransactionTotals { counters.withLock { $0 } }

    /// Finishes the waiting writes and ends the thread; blocks until that is done.
    func stop() {
        queue.stop()
        thread.withLock { $0 }?.join()
    }
}

/// Counts of a writer's work since its start.
package struct TransactionTotals: Equatable, Sendable {
    /// The transactions that were committed.
    package var transactions: UInt64 = 0
    /// The writes that were stored.
    package var writes: UInt64 = 0
    /// Those that were stored by one statement with others.
    package var joinedWrites: UInt64 = 0
    /// The transactions that were sent again after a conflict with others.
    package var repetitions: UInt64 = 0
    /// The writes of which it is unknown whether they were stored.
    package var unknownWrites: UInt64 = 0
}

/// Performs batches of writes on the writer's thread.
private final class TransactionPerformer {
    /// How often a transaction is sent at most, if it conflicts with others.
    private static let mostAttempts = 5
    /// The time to wait for a connection, in ms, unless the latest attempt has failed.
    private static let connectMilliseconds: Int64 = 2500

    private let patience: Int64
    private let notes: WriteNotes?
    private let notifications: Notifications?
    private let connector: Connector
    private let box = SessionBox()
    private let canceller = Canceller()
    private let count: ((inout TransactionTotals) -> Void) -> Void
    private var session: Session?
    private var failure = PostgreSQLError(.unreachable, message: "there is no connection")
    private var hasRequested = false
    /// Whether the server performs several writes with one statement, as far as is known.
    private var joinsWrites = true

    init(
        _ configuration: DatabaseOptions,
        _ connector: Connector,
        count: @escaping ((inout TransactionTotals) -> Void) -> Void
    ) {
        patience = Int64(configuration.timeoutMilliseconds) + 1000
        notes = configuration.notes
        notifications = configuration.notifications
        self.connector = connector
        self.count = count
    }

    func close() {
        box.close()
        session = nil
    }

    /// Performs a batch, and calls back every caller.
    func perform(_ jobs: [TransactionJob]) {
        let now = MonotonicClock.milliseconds()
        let late = jobs.filter { $0.deadline <= now }
        for job in late { job.finish(.failure(Self.late)) }
        let jobs = late.isEmpty ? jobs : jobs.filter { $0.deadline > now }
        guard !jobs.isEmpty else { return }
        guard performTogether(jobs) else {
            for job in jobs { performAlone(job) }
            return
        }
    }

    private static let late = PostgreSQLError(
        .timedOut,
        message: "the writes before this one have taken too long"
    )

    private func performAlone(_ job: TransactionJob) {
        // The writes before it may have waited for locks.
        guard job.deadline > MonotonicClock.milliseconds() else {
            return job.finish(.failure(Self.late))
        }
        _ = performTogether([job])
    }

    /// Performs jobs in one transaction and calls back their callers.
    ///
    /// Returns false, without calling back, if one of several jobs has failed and nothing was
    /// stored.
    private func performTogether(_ jobs: [TransactionJob]) -> Bool {
        var attempt = 1
        var canJoin = true
        while true {
            guard let session = connectedSession() else {
                finish(jobs, failure)
                return true
            }
            let transaction = WriteTransaction(
                jobs,
                joinsWrites: joinsWrites && canJoin,
                notifyingWith: notifications?.sending()
            )
            var commands = transaction.commands
            do throws(Exchange.Loss) {
                let results = try perform(transaction, &commands, on: session)
                guard let error = error(in: results, of: commands) else {
                    succeed(transaction, results)
                    return true
                }
                try rollBack(session)
                if transaction.cannotJoin(in: results) {
                    (joinsWrites, canJoin) = (false, false)
                    continue
                }
                // Another server may be the primary now, which a new connection finds.
                if error.state == .readOnlyTransaction { self.session = nil }
                if attempt < Self.mostAttempts, invitesRepetition(error, of: jobs) {
                    attempt += 1
                    count { $0.repetitions += 1 }
                    continue
                }
                if jobs.count > 1 { return false }
                finish(jobs, error)
            } catch {
                self.session = nil
                if error.error.kind == .timedOut { canceller.cancel(session) }
                lose(transaction, commands, error)
            }
            return true
        }
    }

    /// Performs the commands of a transaction.
    ///
    /// If notes are needed, they are known once the writes have returned their rows. So COMMIT is
    /// sent after that, behind the command that stores the notes, which is added to `commands`.
    private func perform(
        _ transaction: WriteTransaction,
        _ commands: inout [Command],
        on session: Session
    ) throws(Exchange.Loss) -> [QueryResult] {
        guard let notes, transaction.hasNotes, notes.areNeeded() else {
            return try Exchange.perform(commands, on: session, patience: patience)
        }
        let writes = Array(commands.dropLast())
        let results: [QueryResult]
        let noted: [[Value]]
        do throws(Exchange.Loss) {
            results = try Exchange.perform(writes, on: session, patience: patience)
            guard results.allSatisfy(\.isSuccess) else { return results }
            noted = try Self.notes(of: transaction, in: results)
        } catch {
            // COMMIT was not sent, so nothing was stored.
            throw Exchange.Loss(error: error.error, results: error.results, isSent: false)
        }
        let end = (noted.isEmpty ? [] : [notes.command(noted)]) + [Command("COMMIT")]
        commands = writes + end
        do throws(Exchange.Loss) {
            return try results + Exchange.perform(end, on: session, patience: patience)
        } catch {
            throw Exchange.Loss(
                error: error.error,
                results: results + error.results,
                isSent: error.isSent
            )
        }
    }

    private static func notes(
        of transaction: WriteTransaction,
        in results: [QueryResult]
    ) throws(Exchange.Loss) -> [[Value]] {
        do throws(PostgreSQLError) {
            return try transaction.notes(in: results)
        } catch {
            throw Exchange.Loss(error: error, results: results, isSent: false)
        }
    }

    /// The first error of a transaction; nil if it was committed.
    private func error(in results: [QueryResult], of commands: [Command]) -> PostgreSQLError? {
        for (result, command) in zip(results, commands) {
            if !result.isSuccess && !result.isAborted { return result.error(in: command.sql) }
        }
        if let last = results.last, last.isSuccess, last.tag == "COMMIT" { return nil }
        return PostgreSQLError(
            .rejected,
            // What is prepared twice aborts the rest without an error of its own.
            state: results.contains { $0.isAborted } ? .unknownStatement : .failedTransaction,
            message: "the transaction was not committed"
        )
    }

    private func invitesRepetition(_ error: PostgreSQLError, of jobs: [TransactionJob]) -> Bool {
        guard let state = error.state else { return false }
        // Another server was quicker. Its row is visible now, so the conditions in the statements
        // see it. Several jobs are repeated one by one instead.
        let isOfRace = state == .uniqueViolation || state == .foreignKeyViolation
        return state.invitesRepetition || state == .unknownStatement
            || (isOfRace && jobs.count == 1)
    }

    /// Ends a transaction that has failed.
    private func rollBack(_ session: Session) throws(Exchange.Loss) {
        do {
            _ = try Exchange.perform([Command("ROLLBACK")], on: session, patience: patience)
        } catch {
            // The transaction has failed, so nothing was stored.
            throw Exchange.Loss(error: error.error, results: [], isSent: false)
        }
    }

    private func succeed(_ transaction: WriteTransaction, _ results: [QueryResult]) {
        count { totals in
            totals.transactions += 1
            totals.writes += UInt64(transaction.jobs.count)
            totals.joinedWrites += UInt64(transaction.joinedCount)
        }
        transaction.finish(results)
    }

    private func finish(_ jobs: [TransactionJob], _ error: PostgreSQLError) {
        for job in jobs { job.finish(.failure(error)) }
    }

    /// Calls back the callers of jobs during which the connection was lost.
    private func lose(
        _ transaction: WriteTransaction,
        _ commands: [Command],
        _ loss: Exchange.Loss
    ) {
        let (jobs, results) = (transaction.jobs, loss.results)
        if results.count == commands.count, error(in: results, of: commands) == nil {
            return succeed(transaction, results)
        }
        // An error of a statement is the end of its transaction. After one of COMMIT, which may
        // come while the server waits for a standby, the transaction may be stored.
        // An error without a code is libpq's own.
        let hasFailed = results.dropLast(results.count == commands.count ? 1 : 0).contains {
            result in
            result.state != nil
        }
        guard loss.isSent, !hasFailed else {
            let kind = loss.error.kind == .timedOut ? PostgreSQLError.Kind.timedOut : .unreachable
            return finish(jobs, PostgreSQLError(kind, message: loss.error.message))
        }
        count { $0.unknownWrites += UInt64(jobs.count) }
        finish(jobs, PostgreSQLError(.unknownOutcome, message: loss.error.message))
    }

    // MARK: Connection

    /// Returns the connection, or waits for a new one if the server has closed it.
    ///
    /// Returns nil if no connection was opened in time.
    private func connectedSession() -> Session? {
        if let session, isOpen(session) { return session }
        session = nil
        if !hasRequested {
            connector.request(for: box)
            hasRequested = true
        }
        box.wait(atMostMilliseconds: Self.connectMilliseconds)
        let (sessions, failure) = box.take()
        if let failure { self.failure = failure }
        if sessions.isEmpty { return nil }
        hasRequested = false
        joinsWrites = true
        // One that came too late for an earlier write may be closed by now.
        session = sessions.last(where: isOpen)
        return session
    }

    /// Returns whether the server has not closed a connection while it was idle.
    ///
    /// Between transactions, the server sends only notices, changed settings, and its end.
    private func isOpen(_ session: Session) -> Bool {
        for _ in 0..<Self.mostReads {
            if session.isLost { return false }
            guard Poll.isReady(session.descriptor, Int16(POLLIN)) else { return true }
            guard session.consumeInput() else { return false }
        }
        return false
    }

    /// How often an idle connection is read at most, 16 KiB or more each time.
    private static let mostReads = 64
}
