import Testing
import System

@Suite struct WorkerPoolTests {
    /// The log of finished jobs, in order.
    private final class Record: Sendable {
        private let entries = Mutex<[String]>([])

        var all: [String] { entries.withLock { $0 } }

        func append(_ entry: String) { entries.withLock { $0.append(entry) } }

        /// Returns a job that logs its number, or the reason why it was rejected.
        func job(_ name: String, _ body: @escaping @Sendable () -> Void = {}) -> WorkerPool.Job {
            WorkerPool.Job(
                perform: {
                    body()
                    self.append(name)
                },
                reject: { self.append("\(name) \($0)") }
            )
        }
    }

    /// A job that blocks its thread until it is released.
    private final class Obstacle: Sendable {
        private let began = Semaphore()
        private let mayEnd = Semaphore()

        func block() {
            began.signal()
            mayEnd.wait(atMostMilliseconds: nil)
        }

        func waitUntilItBlocks() { began.wait(atMostMilliseconds: nil) }

        func release() { mayEnd.signal() }
    }

    @Test func doesJobsInTheirOrder() throws {
        let record = Record()
        let pool = try WorkerPool(
            threads: 1,
            queueLimit: 1000,
            prepare: { record.append("prepared") },
            finish: { record.append("finished") }
        )
        for number in 1...500 { pool.submit(record.job("\(number)")) }
        pool.stop()

        #expect(record.all == ["prepared"] + (1...500).map(String.init) + ["finished"])
        #expect(pool.waitingJobs == 0)
    }

    @Test(arguments: [1, 2, 5])
    func rejectsJobsBeyondItsQueue(limit: Int) throws {
        let record = Record()
        let obstacle = Obstacle()
        let pool = try WorkerPool(threads: 1, queueLimit: limit)
        pool.submit(record.job("0", obstacle.block))
        obstacle.waitUntilItBlocks()

        for number in 1...limit + 2 { pool.submit(record.job("\(number)")) }
        #expect(record.all == (limit + 1...limit + 2).map { "\($0) queueFull" })
        #expect(pool.waitingJobs == limit)
        #expect(pool.totalRejections == 2)
        obstacle.release()
        pool.stop()

        #expect(record.all.dropFirst(2) == (0...limit).map(String.init)[...])
    }

    @Test func acceptsAJobForEachIdleThreadWithoutAQueue() throws {
        let record = Record()
        let pool = try WorkerPool(threads: 1, queueLimit: 1)
        for number in 1...100 {
            let isDone = Semaphore()
            pool.submit(record.job("\(number)") { isDone.signal() })
            isDone.wait(atMostMilliseconds: nil)
        }
        pool.stop()

        #expect(record.all == (1...100).map(String.init))
    }

    @Test func finishesWaitingJobsWhenItStopsAndRejectsOthers() throws {
        let record = Record()
        let obstacle = Obstacle()
        let pool = try WorkerPool(threads: 1, queueLimit: 10)
        pool.submit(record.job("first", obstacle.block))
        obstacle.waitUntilItBlocks()
        pool.submit(record.job("waiting"))
        obstacle.release()
        pool.stop()
        pool.submit(record.job("late"))
        pool.stop()

        #expect(record.all == ["first", "waiting", "late stopped"])
        #expect(pool.totalRejections == 0)
    }

    @Test func doesJobsAtTheSameTimeOnSeveralThreads() throws {
        let record = Record()
        let obstacles = [Obstacle(), Obstacle(), Obstacle()]
        let pool = try WorkerPool(threads: 3, queueLimit: 1)
        for (number, obstacle) in obstacles.enumerated() {
            pool.submit(record.job("\(number)", obstacle.block))
            obstacle.waitUntilItBlocks()
        }
        // All three run at the same time, and end in reverse order.
        for obstacle in obstacles.reversed() { obstacle.release() }
        pool.stop()

        #expect(record.all.sorted() == ["0", "1", "2"])
    }
}
