import Humon
import Testing

@Suite struct TextTableTests {
    @Test func `pads each column but the last to its widest cell`() {
        #expect(
            TextTable.text([["a", "bb", "c"], ["ddd", "", "eeee"], ["f"]]) == """
                a    bb  c
                ddd      eeee
                f
                """
        )
    }

    @Test func `pads columns to a minimum width`() {
        #expect(
            TextTable.text([["a", "b"], ["cc", "d"]], minimumWidths: [4]) == """
                a     b
                cc    d
                """
        )
        #expect(TextTable.text([["abc", "d"]], minimumWidths: [2]) == "abc  d")
    }
}
