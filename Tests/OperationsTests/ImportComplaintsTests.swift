import Testing

@testable import Operations

@Suite struct ImportComplaintsTests {
    @Test func `shows 20 messages for an error, and counts the rest`() {
        var complaints = ImportComplaints()

        let shown = (1...22).compactMap { complaints.add("line \($0)", "its id is taken") }

        #expect(shown == (1...20).map { "line \($0): its id is taken" })
        #expect(complaints.count == 22)
        #expect(complaints.summary == ["2 more: its id is taken"])
    }

    @Test func `shows 100 messages of different errors, and counts the rest`() {
        var complaints = ImportComplaints()

        let shown = (1...103).compactMap { complaints.add("line \($0)", "error \($0)") }
        let again = complaints.add("line 104", "error 1")

        #expect(shown == (1...100).map { "line \($0): error \($0)" })
        #expect(again == nil)
        #expect(complaints.count == 104)
        #expect(complaints.summary == ["1 more: error 1", "3 more for other reasons"])
    }
}
