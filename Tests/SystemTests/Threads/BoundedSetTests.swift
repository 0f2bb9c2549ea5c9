import Testing
import System

@Suite struct BoundedSetTests {
    @Test func `forgets everything when it is full`() {
        let set = BoundedSet<Int>(capacity: 2)
        set.insert(1)
        set.insert(2)
        #expect([1, 2, 3].map(set.contains) == [true, true, false])

        set.insert(3)

        #expect([1, 2, 3].map(set.contains) == [false, false, true])
    }
}
