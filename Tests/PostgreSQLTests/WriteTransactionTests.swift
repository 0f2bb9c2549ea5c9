import Testing
import System

@testable import PostgreSQL

/// Tests which writes are joined, without a database.
@Suite struct WriteTransactionTests {
    private static let alone: SQL = "INSERT INTO notes (text) VALUES ($1)"
    private static let together: SQL = """
        INSERT INTO notes (text) SELECT text FROM unnest($1, $2) AS new (text, position)
        """
    private static let note = Command(write: alone, together: together, [.text("a")])

    /// Returns the SQL of a transaction with these writes, and the number of joined ones.
    ///
    /// Each write waits for a reply, so the last one to arrive creates the transaction.
    private static func transaction(
        of writes: [[Command]],
        joinsWrites: Bool
    ) async -> (statements: [String], joinedCount: Int) {
        let arrived = Arrived()
        await withTaskGroup { group in
            for commands in writes {
                group.addTask {
                    _ = await Reply<TransactionJob.Outcome>.value { reply in
                        let job = TransactionJob(commands, deadline: .max, watch: nil) {
                            reply.send($0)
                        }
                        let jobs = arrived.jobs.withLock { jobs in
                            jobs.append(job)
                            return jobs
                        }
                        guard jobs.count == writes.count else { return }
                        let transaction = WriteTransaction(jobs, joinsWrites: joinsWrites)
                        let texts = transaction.commands.map { "\($0.sql)" }
                        arrived.transaction.withLock { $0 = (texts, transaction.joinedCount) }
                        for job in jobs { job.finish(.success([])) }
                    }
                }
            }
        }
        return arrived.transaction.withLock { $0 }
    }

    /// The writes that wait for a reply, and what their transaction is.
    private final class Arrived: Sendable {
        let jobs = Mutex<[TransactionJob]>([])
        let transaction = Mutex<(statements: [String], joinedCount: Int)>(([], 0))
    }

    @Test func `runs writes of one kind as one statement`() async {
        let writes = Array(repeating: [Self.note], count: 40)

        let joined = await Self.transaction(of: writes, joinsWrites: true)
        let separate = await Self.transaction(of: writes, joinsWrites: false)

        #expect(joined.statements == ["BEGIN", "\(Self.together)", "COMMIT"])
        #expect(joined.joinedCount == 40)
        let alone = Array(repeating: "\(Self.alone)", count: 40)
        #expect(separate.statements == ["BEGIN"] + alone + ["COMMIT"])
        #expect(separate.joinedCount == 0)
    }

    @Test func `runs a write with more commands alone`() async {
        let write = [Self.note, Self.note]

        let transaction = await Self.transaction(of: [write, write], joinsWrites: true)

        let alone = Array(repeating: "\(Self.alone)", count: 4)
        #expect(transaction.statements == ["BEGIN"] + alone + ["COMMIT"])
        #expect(transaction.joinedCount == 0)
    }
}
