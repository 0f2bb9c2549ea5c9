import Testing

@testable import Events

@Suite struct MissedChangesTests {
    @Test func hasTheChangesOfAllTransactionsInTheirOrder() {
        var missed = MissedChanges()
        #expect(missed.isEmpty)

        missed.append([change(3), change(1)])
        missed.append([])
        missed.append([change(2)])

        #expect(!missed.isEmpty)
        #expect(missed.all.map(\.id) == [3, 1, 2])
        #expect(missed.byteCount == 3 * change(1).byteCount)
    }

    @Test func isEmptyAfterATransactionWithoutChanges() {
        var missed = MissedChanges()
        missed.append([])
        #expect(missed.isEmpty)
    }

    private func change(_ id: Int64) -> EventChange {
        EventChange(id: id, content: .init(point: (1, 0, 0), json: [1, 2, 3]))
    }
}
