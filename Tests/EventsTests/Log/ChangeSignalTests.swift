import Foundation
import System
import Testing

@testable import Events

@Suite struct ChangeSignalTests {
    @Test func `calls its receiver as directly the last time as the first`() {
        let signal = ChangeSignal()
        let depths = Mutex<[Int]>([])
        signal.setReceiver {
            let depth = Thread.callStackReturnAddresses.count
            depths.withLock { $0.append(depth) }
        }

        for _ in 1...20 { signal.send() }

        let found = depths.withLock { $0 }
        #expect(found.count == 20)
        #expect(Set(found).count == 1, "\(found)")
    }
}
