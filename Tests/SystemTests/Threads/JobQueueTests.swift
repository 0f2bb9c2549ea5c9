import System
import Testing

@Suite struct JobQueueTests {
    private let queue = JobQueue<Int>(capacity: 5)

    @Test func `returns jobs in their order, up to a number`() {
        for job in 1...5 { #expect(queue.append(job) == nil) }

        #expect(jobs(queue.take(2)) == [1, 2])
        #expect(queue.count == 3)
        #expect(queue.append(6) == nil)
        #expect(jobs(queue.take(10)) == [3, 4, 5, 6])
        #expect(queue.count == 0)
    }

    @Test func `returns no job after those of a size`() {
        for job in [3, 4, 5] { #expect(queue.append(job) == nil) }

        #expect(jobs(queue.take(10, byteLimit: 7, size: { $0 })) == [3, 4])
        #expect(jobs(queue.take(10, byteLimit: 1, size: { $0 })) == [5])
    }

    @Test func `rejects a job when it is full or stopped`() {
        for job in 1...5 { #expect(queue.append(job) == nil) }

        #expect(queue.append(6) == .queueFull)
        #expect(queue.totalRejections == 1)
        queue.stop()
        #expect(queue.append(7) == .stopped)
        #expect(jobs(queue.take(10)) == [1, 2, 3, 4, 5])
        guard case .stopped = queue.take(10) else {
            Issue.record("the queue has work after its end")
            return
        }
    }

    @Test func `waits no longer than it may`() {
        guard case .idle = queue.take(10, waitingAtMostMilliseconds: 1) else {
            Issue.record("an empty queue has work")
            return
        }
        // The thread that has waited is not idle any more.
        for job in 1...5 { #expect(queue.append(job) == nil) }
        #expect(queue.append(6) == .queueFull)
    }

    @Test func `gives each of several threads its jobs once`() throws {
        let queue = JobQueue<Int>(capacity: 10_000)
        let taken = Mutex<[Int]>([])
        let threads = try (0..<3).map { _ in
            try POSIXThread {
                while case .jobs(let jobs) = queue.take(7) { taken.withLock { $0 += jobs } }
            }
        }
        for job in 0..<10_000 { #expect(queue.append(job) == nil) }
        queue.stop()
        for thread in threads { thread.join() }

        #expect(taken.withLock { $0.sorted() } == Array(0..<10_000))
    }

    private func jobs(_ work: JobQueue<Int>.Work) -> [Int]? {
        if case .jobs(let jobs) = work { jobs } else { nil }
    }
}
