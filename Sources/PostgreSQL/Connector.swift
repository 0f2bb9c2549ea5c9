import System

/// The thread that opens all connections, because that blocks.
final class Connector: Sendable {
    /// The pauses between attempts, in ms: each is up to half longer or shorter.
    ///
    /// With the last one, servers are ready 2 s after the database.
    private static let pauses: (first: Int64, last: Int64) = (50, 1000)

    private struct State {
        /// The boxes that wait for a connection, once for each.
        var wanted: [SessionBox] = []
        /// The error of the latest attempt; nil after a success.
        var failure: PostgreSQLError?
        var isPreparing = false
        var isStopping = false
    }

    private let state = Mutex(State())
    private let change = Semaphore()
    private let counter = ConnectionCounter()
    private let thread = Mutex<POSIXThread?>(nil)
    private let observe: @Sendable (DatabaseEvent) -> Void

    /// Starts the thread; throws if the system can't.
    ///
    /// Nobody gets a connection until `prepare` has succeeded once. If it fails, that counts as a
    /// failed attempt to connect.
    init(
        _ opener: SessionOpener,
        prepare: (@Sendable () throws -> Void)? = nil,
        observe: @escaping @Sendable (DatabaseEvent) -> Void
    ) throws(ThreadError) {
        self.observe = observe
        let started = try POSIXThread { [weak self] in self?.run(opener, prepare) }
        thread.withLock { $0 = started }
    }

    /// Opens a connection for the box, and tries until it succeeds.
    ///
    /// The box gets each failure. If the latest attempt has failed, it gets that at once.
    func request(for box: SessionBox) {
        let failure = state.withLock { state -> PostgreSQLError? in
            if state.isStopping { return .stopped }
            state.wanted.append(box)
            return state.failure
        }
        if let failure { box.note(failure) }
        change.signal()
    }

    /// The totals since the start.
    var totals: ConnectionTotals { counter.totals }

    /// Ends the thread, and waits for it unless it prepares the database, which can take long.
    func stop() {
        let isPreparing = state.withLock { state in
            state.isStopping = true
            return state.isPreparing
        }
        change.signal()
        let thread = thread.withLock { $0 }
        if isPreparing { thread?.detach() } else { thread?.join() }
    }

    private func run(_ opener: SessionOpener, _ prepare: (@Sendable () throws -> Void)?) {
        var opener = opener
        var prepare = prepare
        var pause = Self.pauses.first
        while waitForRequest() {
            do {
                if let step = prepare {
                    try perform(step)
                    prepare = nil
                }
                let connected = try opener.connect()
                guard connected.session.beginPipeline() else { throw connected.session.lossError() }
                if connected.lacksOptions && opener.sendsOptions {
                    opener.sendsOptions = false
                    if !opener.hasSettings(connected.session) {
                        observe(.settingsRejected(opener.settingsAdvice))
                    }
                }
                connected.session.count(by: counter)
                deliver(connected.session)
                pause = Self.pauses.first
            } catch {
                counter.noteFailure()
                note(Self.failure(error))
                wait(Int64.random(in: pause / 2...pause * 3 / 2))
                pause = min(2 * pause, Self.pauses.last)
            }
        }
    }

    private func perform(_ preparation: @Sendable () throws -> Void) throws {
        try state.withLock { state in
            if state.isStopping { throw PostgreSQLError.stopped }
            state.isPreparing = true
        }
        defer { state.withLock { $0.isPreparing = false } }
        try preparation()
    }

    private static func failure(_ error: any Error) -> PostgreSQLError {
        guard let error = error as? PostgreSQLError else {
            return PostgreSQLError(.unreachable, message: "\(error)", isReported: true)
        }
        return PostgreSQLError(
            .unreachable,
            state: error.state,
            message: error.message,
            sql: error.sql,
            isReported: true
        )
    }

    /// Waits until a connection is requested; returns false when the thread must end.
    private func waitForRequest() -> Bool {
        while true {
            let next = state.withLock { state -> Bool? in
                if state.isStopping { return false }
                state.wanted.removeAll { $0.isClosed }
                return state.wanted.isEmpty ? nil : true
            }
            if let next { return next }
            change.wait(atMostMilliseconds: nil)
        }
    }

    private func deliver(_ session: Session) {
        let (box, others, wasUnreachable) = state.withLock { state in
            let wasUnreachable = state.failure != nil
            state.failure = nil
            let box = state.wanted.isEmpty ? nil : state.wanted.removeFirst()
            return (box, wasUnreachable ? state.wanted : [], wasUnreachable)
        }
        box?.deliver(session)
        // They get theirs in a moment.
        for other in others { other.forgetFailure() }
        if wasUnreachable { observe(.reachable) }
    }

    private func note(_ failure: PostgreSQLError) {
        let (boxes, isNews) = state.withLock { state in
            defer { state.failure = failure }
            return (state.wanted, state.failure?.message != failure.message)
        }
        if isNews { observe(.unreachable(failure)) }
        for box in boxes { box.note(failure) }
    }

    /// Waits for the time, or until the thread must end.
    private func wait(_ milliseconds: Int64) {
        let deadline = MonotonicClock.milliseconds() + milliseconds
        while !state.withLock({ $0.isStopping }) {
            let remaining = deadline - MonotonicClock.milliseconds()
            if remaining <= 0 { return }
            change.wait(atMostMilliseconds: remaining)
        }
    }
}

/// Hands connections from the connector to the thread that uses them.
final class SessionBox: Sendable {
    private struct State {
        var sessions: [Session] = []
        var failure: PostgreSQLError?
        var isClosed = false
    }

    private let state = Mutex(State())
    private let change = Semaphore()
    private let notify: @Sendable () -> Void

    /// Creates an empty box; `notify` is called on another thread when it gets something.
    init(notify: @escaping @Sendable () -> Void = {}) {
        self.notify = notify
    }

    /// Whether it drops what it gets.
    var isClosed: Bool { state.withLock { $0.isClosed } }

    /// Adds a connection.
    func deliver(_ session: Session) {
        state.withLock { state in
            state.failure = nil
            guard !state.isClosed else { return }
            state.sessions.append(session)
            notify()
        }
        change.signal()
    }

    /// Reports a failed attempt.
    func note(_ failure: PostgreSQLError) {
        state.withLock { state in
            state.failure = failure
            // Closed under the lock, so that the owner's descriptor still exists.
            if !state.isClosed { notify() }
        }
        change.signal()
    }

    /// Forgets the failure, because the database can be reached again.
    func forgetFailure() {
        state.withLock { state in
            state.failure = nil
            if !state.isClosed { notify() }
        }
    }

    /// Removes and returns the connections, and returns the error of the latest attempt.
    func take() -> (sessions: [Session], failure: PostgreSQLError?) {
        state.withLock { state in
            defer { state.sessions = [] }
            return (state.sessions, state.failure)
        }
    }

    /// Waits until the box has got something, but at most this time.
    func wait(atMostMilliseconds milliseconds: Int64) {
        let deadline = MonotonicClock.milliseconds() + milliseconds
        while state.withLock({ $0.sessions.isEmpty && $0.failure == nil }) {
            let remaining = deadline - MonotonicClock.milliseconds()
            if remaining <= 0 { return }
            change.wait(atMostMilliseconds: remaining)
        }
    }

    /// Drops what it has and will get.
    func close() {
        state.withLock { state in
            state.isClosed = true
            state.sessions = []
        }
    }
}

/// A change in the state of the connections.
package enum DatabaseEvent: Equatable, Sendable {
    /// The database can't be reached, or the cause has changed.
    case unreachable(PostgreSQLError)
    /// The database can be reached again.
    case reachable
    /// The server, probably pgbouncer, has rejected the settings of connections, and its role
    /// doesn't have them either.
    ///
    /// The text has the statements with the same effect.
    case settingsRejected(String)
}
