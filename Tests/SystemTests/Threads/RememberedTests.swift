import Testing
import System

@Suite struct RememberedTests {
    @Test func `has no value before it is set`() {
        let remembered = Remembered<String>()
        #expect(remembered.value == nil)

        remembered.remember("a")

        #expect(remembered.value == "a")
    }
}
