import Synchronization
import Testing
import System

@Suite struct LazyValueTests {
    @Test func `is made once, when it is first needed`() async {
        let count = Atomic(0)
        let lazy = LazyValue { count.add(1, ordering: .relaxed).newValue }
        #expect(count.load(ordering: .relaxed) == 0)

        let values = await withTaskGroup(of: Int.self) { group in
            for _ in 1...100 { group.addTask { lazy.value } }
            return await group.reduce(into: Set()) { $0.insert($1) }
        }

        #expect(values == [1])
        #expect(count.load(ordering: .relaxed) == 1)
    }
}
