import System
import Logging

/// The connections of a server to its database.
///
/// Each loop that is bound has connections of its own for reads, and other threads share one. All
/// writes go through one connection. While nothing is connected, reads and writes throw errors of
/// the kind `unreachable`, and connections are opened as soon as the database can be reached.
package final class Database: Sendable {
    private let configuration: DatabaseOptions
    private let connector: Connector
    private let groups: ThreadSpecific<LoopSessions>
    private let shared: SharedSession
    private let writer: TransactionThread

    /// Starts to connect, and returns after the first attempt.
    ///
    /// - Parameters:
    ///   - configuration: The address and the limits.
    ///   - prepare: Called on another thread before the first connection is used, again and again
    ///     until it throws nothing. Until then, the database is unreachable.
    ///   - observe: Called on another thread when the database becomes unreachable or reachable;
    ///     must not block.
    /// - Throws: `LibraryError`, `ThreadError`, or a `PostgreSQLError` if the system lacks
    ///   resources.
    package init(
        _ configuration: DatabaseOptions,
        prepare: (@Sendable () throws -> Void)? = nil,
        observe: @escaping @Sendable (DatabaseEvent) -> Void = { _ in }
    ) throws {
        self.configuration = configuration
        _ = try Libpq.load()
        groups = try ThreadSpecific()
        let connector = try Connector(
            SessionOpener(
                url: configuration.url,
                purpose: .serving(timeoutMilliseconds: configuration.timeoutMilliseconds),
                preparesStatements: configuration.preparesStatements
            ),
            prepare: prepare,
            observe: observe
        )
        self.connector = connector
        do {
            shared = try SharedSession(connector: connector, configuration.notifications)
        } catch {
            connector.stop()
            throw error
        }
        do {
            writer = try TransactionThread(configuration, connector: connector)
        } catch {
            shared.stop()
            connector.stop()
            throw error
        }
    }

    /// Performs a command that changes nothing.
    package func read(_ command: Command) async throws(PostgreSQLError) -> Rows {
        let deadline = MonotonicClock.recentMilliseconds() + patience
        let outcome = await Reply.value { reply in
            let job = ReadJob(command, deadline: deadline) { reply.send($0) }
            if let group = groups.current {
                group.submit(job)
            } else {
                shared.submit(job)
            }
        }
        return try outcome.get()
    }

    /// Performs a command that changes nothing, and blocks until its result has arrived.
    package func readAndWait(_ command: Command) throws(PostgreSQLError) -> Rows {
        let deadline = MonotonicClock.milliseconds() + patience
        let outcome = Promise<ReadJob.Outcome>()
        shared.submit(ReadJob(command, deadline: deadline) { outcome.fulfill($0) })
        return try outcome.wait().get()
    }

    /// Performs commands in one transaction, and returns the rows of each when they are stored.
    ///
    /// - Throws: The first command's error. Nothing is stored then, unless its kind is
    ///   `unknownOutcome`.
    package func write(_ commands: [Command]) async throws(PostgreSQLError) -> [Rows] {
        if commands.isEmpty { return [] }
        let outcome = await Reply.value { reply in write(commands) { reply.send($0) } }
        return try outcome.get()
    }

    /// Does the same, and blocks until the commands are stored.
    package func writeAndWait(_ commands: [Command]) throws(PostgreSQLError) -> [Rows] {
        let outcome = Promise<TransactionJob.Outcome>()
        write(commands) { outcome.fulfill($0) }
        return try outcome.wait().get()
    }

    private func write(
        _ commands: [Command],
        _ completion: @escaping @Sendable (TransactionJob.Outcome) -> Void
    ) {
        let deadline = MonotonicClock.recentMilliseconds() + patience
        let watch = StageWatch(queue: .writerQueue, work: .transaction)
        writer.append(TransactionJob(commands, deadline: deadline, watch: watch, completion))
    }

    /// How long a read waits for its result, or a write for its turn, in ms.
    package var patience: Int64 { Int64(configuration.timeoutMilliseconds) + 1000 }

    /// Opens connections for the calling thread, if it runs an event loop.
    ///
    /// Such a thread must call `threadDidPause` after each batch, and `unbindThread` at the end.
    ///
    /// - Throws: A `PostgreSQLError` or `ThreadError` if the system lacks resources. The thread
    ///   then uses the shared connection.
    package func bindThread() throws {
        guard groups.current == nil, let descriptors = WatchedDescriptors.current else { return }
        let group = try LoopSessions(
            descriptors,
            connector: connector,
            count: configuration.readers
        )
        do {
            try groups.keep(group)
        } catch {
            group.close()
            throw error
        }
    }

    /// Sends what the calling thread has read since it last waited.
    ///
    /// A bound thread must call it after each batch, and about once a second while it is idle.
    package func threadDidPause() {
        groups.current?.finishBatch()
    }

    /// Closes the connections of the calling thread.
    package func unbindThread() {
        groups.remove()?.close()
    }

    /// The number of writes that wait.
    package var queuedWrites: Int { writer.queuedWrites }

    /// Counts of the connections since the start.
    package var connectionTotals: ConnectionTotals { connector.totals }

    /// Counts of the writer's work since the start.
    package var totals: TransactionTotals { writer.totals }

    /// Finishes the waiting writes and closes all connections, except those of bound threads.
    ///
    /// It blocks until that is done.
    package func close() {
        writer.stop()
        shared.stop()
        connector.stop()
    }
}

/// Notes about writes, which are stored by the last statement of their transaction.
package struct WriteNotes: Sendable {
    /// Returns whether notes are needed.
    let areNeeded: @Sendable () -> Bool
    /// Returns the command that stores notes: the number that each write has returned, and the
    /// values of its `note`.
    let command: @Sendable ([[Value]]) -> Command

    package init(
        areNeeded: @escaping @Sendable () -> Bool,
        command: @escaping @Sendable ([[Value]]) -> Command
    ) {
        self.areNeeded = areNeeded
        self.command = command
    }
}

/// Notifications that servers send each other when they have written something.
///
/// An engine may not have them, and some can be lost.
package struct Notifications: Sendable {
    /// Returns the command that subscribes a connection; nil if it can receive none.
    let subscription: @Sendable () -> Command?
    /// Returns the command that sends one at the next COMMIT; nil if that is not possible.
    let sending: @Sendable () -> Command?
    /// Takes the payloads of those that have arrived; must not block.
    let receive: @Sendable ([String]) -> Void

    package init(
        subscription: @escaping @Sendable () -> Command?,
        sending: @escaping @Sendable () -> Command?,
        receive: @escaping @Sendable ([String]) -> Void
    ) {
        self.subscription = subscription
        self.sending = sending
        self.receive = receive
    }
}

/// The address and the limits of a database.
package struct DatabaseOptions: Sendable {
    package var url: ConnectionURL
    /// The number of connections of each loop for reads, from 1 to 16.
    package var readers = 2
    /// The longest time that a statement may take, in ms.
    package var timeoutMilliseconds = 5000
    /// Whether statements are prepared under names, which pgbouncer supports from version 1.21.
    package var preparesStatements = true
    /// The greatest number of waiting writes.
    package var queuedWrites = 10_000
    /// The greatest number of writes in a transaction.
    package var batchedWrites = 512
    /// The size of the values in a transaction above which no further write joins it, in bytes.
    package var batchedBytes = 1 << 20
    /// The note that the writer stores about its writes before each COMMIT; nil for none.
    package var notes: WriteNotes?
    /// The notifications between servers about writes; nil for none.
    package var notifications: Notifications?

    package init(url: ConnectionURL) {
        self.url = url
    }
}
