import System

/// The commands of a transaction, in which one statement performs successive writes of one kind.
struct WriteTransaction {
    let jobs: [TransactionJob]
    let commands: [Command]
    /// The parts of the transaction, in order.
    private let parts: [Part]

    /// Jobs whose commands follow one another.
    private enum Part {
        /// A job with commands of its own.
        case job(TransactionJob)
        /// Jobs with one command together, and its index.
        case joined(ArraySlice<TransactionJob>, command: Int)
    }

    /// Creates the transaction of jobs, from BEGIN to COMMIT.
    ///
    /// `notification` is the command with which other servers learn of it.
    init(
        _ jobs: [TransactionJob],
        joinsWrites: Bool,
        notifyingWith notification: Command? = nil
    ) {
        self.jobs = jobs
        var commands = [Command("BEGIN")]
        var parts: [Part] = []
        var rest = jobs[...]
        while let job = rest.first {
            let similar: ArraySlice<TransactionJob> =
                joinsWrites ? rest.prefix { $0.canBeJoined(with: job) } : []
            if similar.count > 1, let command = Command(joining: similar.flatMap(\.commands)) {
                parts.append(.joined(similar, command: commands.count))
                commands.append(command)
                rest = rest.dropFirst(similar.count)
            } else {
                commands += job.commands
                parts.append(.job(job))
                rest = rest.dropFirst()
            }
        }
        self.commands = commands + [notification, Command("COMMIT")].compactMap(\.self)
        self.parts = parts
    }

    /// The number of jobs that are performed by a statement with others.
    var joinedCount: Int {
        parts.reduce(0) { count, part in
            if case .joined(let jobs, _) = part { count + jobs.count } else { count }
        }
    }

    /// Returns whether the server rejected a joined statement because it doesn't support it.
    func cannotJoin(in results: [QueryResult]) -> Bool {
        parts.contains { part in
            guard case .joined(_, let command) = part, command < results.count else { return false }
            return results[command].state?.meansUnsupported ?? false
        }
    }

    /// Whether a write has something to note.
    var hasNotes: Bool { jobs.contains { job in job.commands.contains { $0.note != nil } } }

    /// Returns the notes of the rows that writes have returned: their numbers, and the values.
    func notes(in results: [QueryResult]) throws(PostgreSQLError) -> [[Value]] {
        var rest = results.dropFirst().map(Rows.init)[...]
        var notes: [[Value]] = []
        for part in parts {
            switch part {
            case .job(let job):
                for (command, rows) in zip(job.commands, rest) {
                    notes += try rows.notes(of: command)
                }
                rest = rest.dropFirst(job.commands.count)
            case .joined(let jobs, _):
                guard let rows = rest.popFirst() else { continue }
                let positions = try rows.positionsByNumber(in: rows.columnCount - 1)
                for (number, job) in jobs.enumerated() {
                    guard let note = job.commands.first?.note,
                        let row = rows.row(positions[Int64(number)]).first
                    else { continue }
                    // The last column is the position.
                    var numbers: [Value] = []
                    for column in 0..<rows.columnCount - 1 {
                        numbers.append(.bigint(try row.bigint(column)))
                    }
                    notes.append(numbers + note)
                }
            }
        }
        return notes
    }

    /// Gives each caller its rows, from the result of each command.
    func finish(_ results: [QueryResult]) {
        // The first one is that of BEGIN.
        var rest = results.dropFirst().map(Rows.init)[...]
        for part in parts {
            switch part {
            case .job(let job):
                job.finish(.success(Array(rest.prefix(job.commands.count))))
                rest = rest.dropFirst(job.commands.count)
            case .joined(let jobs, _):
                if let rows = rest.popFirst() { finish(jobs, rows) }
            }
        }
    }

    /// Gives each caller its row of the result of several writes.
    private func finish(_ jobs: ArraySlice<TransactionJob>, _ rows: Rows) {
        do throws(PostgreSQLError) {
            let positions = try rows.positionsByNumber(in: rows.columnCount - 1)
            for (number, job) in jobs.enumerated() {
                job.finish(.success([rows.row(positions[Int64(number)])]))
            }
        } catch {
            // They are stored, but nobody can tell which row is whose.
            let unknown = PostgreSQLError(.unknownOutcome, message: error.message)
            for job in jobs { job.finish(.failure(unknown)) }
        }
    }
}

extension Rows {
    /// Returns the notes of the rows that a write has returned: their numbers, and its values.
    package func notes(of command: Command) throws(PostgreSQLError) -> [[Value]] {
        guard let note = command.note else { return [] }
        var notes: [[Value]] = []
        for row in self {
            var numbers: [Value] = []
            for column in 0..<columnCount { numbers.append(.bigint(try row.bigint(column))) }
            notes.append(numbers + note)
        }
        return notes
    }
}

extension TransactionJob {
    /// Returns whether this job and another one can run as one statement.
    fileprivate func canBeJoined(with other: TransactionJob) -> Bool {
        guard let command = commands.first, let otherCommand = other.commands.first,
            commands.count == 1, other.commands.count == 1
        else { return false }
        return command.canBeJoined(with: otherCommand)
    }
}
