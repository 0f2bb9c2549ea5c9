import System
import Glibc

/// A thread with a connection for the reads of all threads that serve no clients.
final class SharedSession: Sendable {
    /// The greatest number of reads that wait for the thread.
    private static let submittedLimit = 1024
    /// The interval in ms between two checks of the deadlines.
    private static let checkMilliseconds: Int32 = 250

    private struct State {
        var submitted: [ReadJob] = []
        var isStopping = false
    }

    private let state = Mutex(State())
    private let wakeUp: WakeUp
    private let thread = Mutex<POSIXThread?>(nil)

    /// Starts the thread, and returns after its first attempt to connect.
    ///
    /// Its connection subscribes to these notifications.
    init(connector: Connector, _ notifications: Notifications?) throws {
        guard let wakeUp = WakeUp() else {
            throw PostgreSQLError(.unreachable, message: "eventfd: \(errno)")
        }
        self.wakeUp = wakeUp
        let start = Promise<PostgreSQLError?>()
        let started = try POSIXThread { [weak self] in
            do throws(PostgreSQLError) {
                guard let loop = WatchLoop(wakeUp: wakeUp) else {
                    throw PostgreSQLError(.unreachable, message: "epoll: \(errno)")
                }
                defer { loop.end() }
                let group = try LoopSessions(
                    loop.descriptors,
                    connector: connector,
                    count: 1,
                    notifications: notifications
                )
                start.fulfill(nil)
                self?.run(loop, group)
                group.close()
            } catch {
                start.fulfill(error)
            }
        }
        thread.withLock { $0 = started }
        if let error = start.wait() {
            stop()
            throw error
        }
    }

    deinit {
        close(wakeUp.descriptor)
    }

    /// Performs a job on the thread.
    func submit(_ job: ReadJob) {
        let error = state.withLock { state -> PostgreSQLError? in
            if state.isStopping { return .stopped }
            guard state.submitted.count < Self.submittedLimit else {
                return PostgreSQLError(.overloaded, message: "too many queries wait")
            }
            state.submitted.append(job)
            return nil
        }
        if let error { return job.fail(error) }
        wakeUp.signal()
    }

    /// Closes the connection and ends the thread; waiting reads get an error.
    func stop() {
        state.withLock { $0.isStopping = true }
        wakeUp.signal()
        thread.withLock { $0 }?.join()
    }

    private func run(_ loop: WatchLoop, _ group: LoopSessions) {
        while true {
            let (jobs, isStopping) = state.withLock { state in
                defer { state.submitted = [] }
                return (state.submitted, state.isStopping)
            }
            if isStopping {
                for job in jobs { job.fail(.stopped) }
                return
            }
            for job in jobs { group.submit(job) }
            group.finishBatch()
            loop.wait(atMostMilliseconds: group.isWaiting ? Self.checkMilliseconds : -1)
        }
    }
}
