import Glibc
import System

/// Commands that are sent together, and the wait for all their results.
struct Exchange {
    /// A command that was sent, whose result comes in the same order.
    private enum Item {
        case preparation(Command)
        case query(Command)
    }

    /// The connection was lost, or the server has not responded in time.
    struct Loss: Error {
        let error: PostgreSQLError
        /// The results that have arrived.
        let results: [QueryResult]
        /// Whether the server can have everything that was sent.
        let isSent: Bool
    }

    private let session: Session
    /// The longest time without a result, in ms.
    private let patience: Int64
    private var items: [Item] = []
    private var next = 0
    private var hasResult = false
    private var isSynced = false
    private var results: [QueryResult] = []
    /// The error of a statement that could not be prepared.
    private var preparationError: QueryResult?

    private init(_ session: Session, patience: Int64) {
        self.session = session
        self.patience = patience
    }

    /// Sends the commands and returns the result of each.
    ///
    /// After an error, the results of the following commands are aborted. A statement that the
    /// server should know and doesn't, or the other way round, is prepared at the next attempt.
    static func perform(
        _ commands: [Command],
        on session: Session,
        patience: Int64
    ) throws(Loss) -> [QueryResult] {
        var exchange = Exchange(session, patience: patience)
        try exchange.send(commands)
        try exchange.receive()
        return exchange.results
    }

    private mutating func send(_ commands: [Command]) throws(Loss) {
        for command in commands {
            if session.mustPrepare(command) {
                guard session.sendPrepare(command) else { throw loss(session.lossError()) }
                items.append(.preparation(command))
            }
            guard session.sendQuery(command) else { throw loss(session.lossError()) }
            items.append(.query(command))
        }
        // What fails may be the end of sending, after the server has got the COMMIT.
        guard session.sync() else { throw loss(session.lossError(), isSent: true) }
    }

    private func loss(_ error: PostgreSQLError, isSent: Bool = false) -> Loss {
        Loss(error: error, results: results, isSent: isSent)
    }

    private mutating func receive() throws(Loss) {
        var deadline = MonotonicClock.milliseconds() + patience
        var isSent = false
        while true {
            if !isSent {
                switch session.flush() {
                case .finished: isSent = true
                case .unfinished: break
                // The server can have received all of it before the connection was lost.
                case .failed: isSent = true
                }
            }
            let count = results.count
            takeResults()
            if isSynced { return }
            if session.isLost { throw loss(session.lossError(), isSent: isSent) }
            if results.count > count { deadline = MonotonicClock.milliseconds() + patience }
            let events = Int16(isSent ? POLLIN : POLLIN | POLLOUT)
            guard Poll.wait(session.descriptor, events, until: deadline) else {
                throw loss(.late, isSent: isSent)
            }
            if !session.consumeInput() {
                takeResults()
                if isSynced { return }
                throw loss(session.lossError(), isSent: true)
            }
        }
    }

    private mutating func takeResults() {
        // libpq returns nil after each command's results, and once more before some commands.
        var isAfterNil = false
        while !isSynced, !session.isBusy {
            guard let result = session.nextResult() else {
                if hasResult {
                    hasResult = false
                    next += 1
                } else if isAfterNil {
                    return
                }
                isAfterNil = true
                continue
            }
            isAfterNil = false
            if result.isSync {
                isSynced = true
            } else if !hasResult, next < items.count {
                hasResult = true
                take(result, of: items[next])
            }
        }
    }

    private mutating func take(_ result: QueryResult, of item: Item) {
        switch item {
        case .preparation(let command):
            // The same name means the same text.
            if result.isSuccess || result.state == .duplicateStatement { return }
            session.forget(command)
            // Its query is aborted, so this is the only error.
            if !result.isAborted { preparationError = result }
        case .query(let command):
            if result.state == .unknownStatement { session.forget(command) }
            if result.isAborted, let error = preparationError {
                preparationError = nil
                results.append(error)
            } else {
                results.append(result)
            }
        }
    }
}
