import System
import Glibc

/// The connections of one loop for reads.
///
/// Belongs to its loop's thread.
final class LoopSessions: DescriptorWatcher {
    /// The greatest number of queries on a connection that wait for results, each for up to
    /// `joinedLimit` reads.
    static let outstandingLimit = 256
    /// The greatest number of reads that a query performs together.
    private static let joinedLimit = 64
    /// The interval in ms between two checks of the deadlines.
    private static let checkMilliseconds: Int64 = 100
    /// The time to connect before the first request, in ms.
    private static let startMilliseconds: Int64 = 2500
    /// How long a subscription may take before the connection counts as lost, in ms.
    private static let subscriptionMilliseconds: Int64 = 10_000

    private let descriptors: WatchedDescriptors
    private let connector: Connector
    private let wakeUp: WakeUp
    private let box: SessionBox
    /// The notifications that the connections subscribe to, if any.
    let notifications: Notifications?
    private var readers: [PipelinedSession] = []
    /// The reads of this batch that one query can perform.
    private var joined: [ReadJob] = []
    /// The jobs that wait for the first attempt to connect.
    private var waiting: [PendingRead] = []
    /// Whether an attempt to connect has begun and not ended.
    private var isConnecting = false
    private var failure = PostgreSQLError(.unreachable, message: "there is no connection")
    private var nextCheck: Int64 = 0

    /// Requests this number of connections, and waits for the first attempt to open one.
    init(
        _ descriptors: WatchedDescriptors,
        connector: Connector,
        count: Int,
        notifications: Notifications? = nil
    ) throws(PostgreSQLError) {
        guard let wakeUp = WakeUp() else {
            throw PostgreSQLError(.unreachable, message: "eventfd: \(errno)")
        }
        self.wakeUp = wakeUp
        self.descriptors = descriptors
        self.connector = connector
        self.notifications = notifications
        box = SessionBox(notify: { wakeUp.signal() })
        guard descriptors.watch(wakeUp.descriptor, for: .reading, self) else {
            Glibc.close(wakeUp.descriptor)
            throw PostgreSQLError(.unreachable, message: "epoll_ctl: \(errno)")
        }
        isConnecting = true
        for _ in 0..<count { connector.request(for: box) }
        box.wait(atMostMilliseconds: Self.startMilliseconds)
        takeSessions()
    }

    /// Closes the connections; what waits gets an error.
    func close() {
        box.close()
        descriptors.unwatch(wakeUp.descriptor)
        Glibc.close(wakeUp.descriptor)
        var jobs = waiting + joined.map(PendingRead.init)
        for reader in readers { jobs += reader.close() }
        (readers, waiting, joined) = ([], [], [])
        for job in jobs { job.fail(.stopped) }
    }

    /// Whether a read waits for its results.
    var isWaiting: Bool {
        !waiting.isEmpty || !joined.isEmpty || readers.contains { $0.outstanding > 0 }
    }

    // MARK: Jobs

    /// Queues a job until `finishBatch`, or fails it.
    func submit(_ job: ReadJob) {
        guard job.command.isJoinable else { return submit(PendingRead(job), apart: false) }
        let suits = joined.last?.command.canBeRead(with: job.command) ?? true
        if !suits || joined.count == Self.joinedLimit { sendJoined() }
        joined.append(job)
    }

    /// Sends the joined reads of this batch as one query.
    private func sendJoined() {
        let jobs = joined
        joined.removeAll(keepingCapacity: true)
        let job = jobs.count > 1 ? ReadJob(together: jobs) : jobs.first
        if let job { submit(PendingRead(job), apart: false) }
    }

    /// Sends a job again, apart from others.
    func repeatJob(_ job: PendingRead) {
        guard job.mayRepeat else {
            return job.fail(PostgreSQLError(.unreachable, message: "the query was aborted"))
        }
        submit(job, apart: true)
    }

    private func submit(_ job: PendingRead, apart: Bool) {
        guard let reader = readers.min(by: { $0.outstanding < $1.outstanding }) else {
            return wait(job)
        }
        send(job, on: reader, apart: apart)
    }

    private func send(_ job: PendingRead, on reader: PipelinedSession, apart: Bool) {
        guard reader.outstanding < Self.outstandingLimit else {
            return job.fail(Self.overloaded)
        }
        if !reader.send(job, apart: apart) { lose(reader, reader.lossError, and: job) }
    }

    private static let overloaded = PostgreSQLError(
        .overloaded,
        message: "too many queries wait for results"
    )

    /// Performs a command whose result and error don't matter.
    private func submit(_ command: Command, on reader: PipelinedSession) {
        let deadline = MonotonicClock.milliseconds() + Self.subscriptionMilliseconds
        let job = ReadJob(command, deadline: deadline) { _ in }
        send(PendingRead(job), on: reader, apart: true)
    }

    /// Lets a job wait for a connection, if an attempt to connect is on its way.
    private func wait(_ job: PendingRead) {
        guard isConnecting else { return job.fail(failure) }
        guard waiting.count < Self.outstandingLimit else { return job.fail(Self.overloaded) }
        waiting.append(job)
    }

    /// Sends what is queued, and fails what is past its deadline.
    ///
    /// The loop must call it after each batch, and about once a second without one.
    func finishBatch() {
        sendJoined()
        for reader in readers where !reader.finishBatch() { lose(reader, reader.lossError) }
        let now = MonotonicClock.recentMilliseconds()
        if now >= nextCheck {
            nextCheck = now + Self.checkMilliseconds
            expire(now)
        }
    }

    private func expire(_ now: Int64) {
        // What is sent can't be taken back, so what comes after it would wait.
        for reader in readers where reader.oldestJob.map({ $0.deadline <= now }) == true {
            lose(reader, .late)
        }
        waiting.removeAll { job in
            guard job.deadline <= now else { return false }
            job.fail(failure)
            return true
        }
    }

    // MARK: Connections

    /// Closes a connection that is lost or too late, and sends its other jobs again.
    func lose(_ reader: PipelinedSession, _ error: PostgreSQLError, and job: PendingRead? = nil) {
        guard let index = readers.firstIndex(where: { $0 === reader }) else { return }
        readers.remove(at: index)
        var jobs = reader.close()
        if let job, jobs.last !== job { jobs.append(job) }
        isConnecting = true
        connector.request(for: box)
        let now = MonotonicClock.recentMilliseconds()
        for job in jobs {
            job.losses += 1
            if job.deadline <= now || job.losses > 1 {
                job.fail(error)
            } else {
                // The other connections may be lost as well.
                waiting.append(job)
            }
        }
    }

    func descriptorIsReady(_ descriptor: Int32) {
        wakeUp.clear()
        takeSessions()
    }

    private func takeSessions() {
        let (sessions, failure) = box.take()
        var opened: [PipelinedSession] = []
        for session in sessions {
            if let reader = PipelinedSession(session, descriptors, group: self) {
                opened.append(reader)
            } else {
                connector.request(for: box)
            }
        }
        readers += opened
        if let subscription = notifications?.subscription() {
            for reader in opened { submit(subscription, on: reader) }
        }
        if let failure { self.failure = failure }
        // Without both, the database can be reached again, and connections are on their way.
        isConnecting = failure == nil && sessions.isEmpty
        if isConnecting { return }
        let jobs = waiting
        waiting = []
        for job in jobs {
            if let reader = opened.min(by: { $0.outstanding < $1.outstanding }) {
                send(job, on: reader, apart: true)
            } else {
                submit(job, apart: true)
            }
        }
    }
}
