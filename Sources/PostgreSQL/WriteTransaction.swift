/// The commands of a transaction, in which one statement performs successive writes of one kind.
struct WriteTransaction {
    let jobs: [WriteJob]
    let commands: [Command]
    /// The parts of the transaction, in order.
    private let parts: [Part]

    /// Jobs whose commands follow one another.
    private enum Part {
        /// A job with commands of its own.
        case job(WriteJob)
        /// Jobs with one command together.
        case joined(ArraySlice<WriteJob>)
    }

    /// Creates the transaction of jobs, from BEGIN to COMMIT.
    init(_ jobs: [WriteJob], joinsWrites: Bool) {
        self.jobs = jobs
        var commands = [Command("BEGIN")]
        var parts: [Part] = []
        var rest = jobs[...]
        while let job = rest.first {
            let similar: ArraySlice<WriteJob> =
                joinsWrites ? rest.prefix { $0.canBePerformed(with: job) } : []
            let writes = similar.flatMap(\.commands)
            if similar.count > 1, let command = Command(writes: writes[...]) {
                commands.append(command)
                parts.append(.joined(similar))
                rest = rest.dropFirst(similar.count)
            } else {
                commands += job.commands
                parts.append(.job(job))
                rest = rest.dropFirst()
            }
        }
        self.commands = commands + [Command("COMMIT")]
        self.parts = parts
    }

    /// Whether a statement performs several writes.
    var hasJoinedWrites: Bool {
        parts.contains { part in
            if case .joined = part { true } else { false }
        }
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
            case .joined(let jobs):
                finish(jobs, rest.first)
                rest = rest.dropFirst()
            }
        }
    }

    /// Gives each caller its row of the result of several writes.
    private func finish(_ jobs: ArraySlice<WriteJob>, _ rows: Rows?) {
        do throws(PostgreSQLError) {
            let positions = try rows?.positionsByNumber(in: rows.map { $0.columnCount - 1 } ?? 0)
            for (number, job) in jobs.enumerated() {
                job.finish(.success(rows.map { [$0.row(positions?[Int64(number)])] } ?? []))
            }
        } catch {
            for job in jobs { job.finish(.failure(error)) }
        }
    }
}

extension WriteJob {
    /// Returns whether one statement can perform this job and another one.
    fileprivate func canBePerformed(with other: WriteJob) -> Bool {
        guard let command = commands.first, let otherCommand = other.commands.first,
            commands.count == 1, other.commands.count == 1
        else { return false }
        return command.canBePerformed(with: otherCommand)
    }
}
