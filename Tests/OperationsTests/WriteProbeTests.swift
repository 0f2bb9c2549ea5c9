import Testing
import System

@testable import Operations

struct WriteProbeTests {
    @Test func `tells the first outcome alone`() async {
        let told = Mutex<[String?]>([])
        let probe = WriteProbe { problem in told.withLock { $0.append(problem) } }

        probe.finish(with: nil)
        probe.finish(with: "too late")
        probe.giveUp(afterMilliseconds: 0)
        probe.finish(with: "later still")

        #expect(told.withLock { $0 } == [nil])
    }

    @Test func `tells that there was none in time`() async {
        let problem = await withCheckedContinuation { continuation in
            let probe = WriteProbe { problem in continuation.resume(returning: problem) }
            probe.giveUp(afterMilliseconds: 1)
        }

        #expect(problem == "A test write took longer than 1 ms.")
    }
}
