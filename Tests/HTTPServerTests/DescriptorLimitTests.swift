import Testing

@testable import HTTPServer

@Suite struct DescriptorLimitTests {
    @Test(
        arguments: [
            (20_000, 10_000, 10_000, 1024), (11_000, 10_000, 9912, 1024), (1024, 10_000, 840, 120),
            (64, 10_000, 28, 4), (4, 10_000, 1, 1), (0, 10_000, 1, 1), (20_000, 5, 5, 1024),
        ]
    )
    func `leaves descriptors for the rest`(
        descriptors: Int,
        wanted: Int,
        served: Int,
        turnedAway: Int
    ) {
        let connections = DescriptorLimit.connections(
            descriptors,
            wanted: wanted,
            turnedAway: 1024
        )

        #expect(connections.served == served)
        #expect(connections.turnedAway == turnedAway)
    }

    @Test func `knows no limit where there is none`() {
        let connections = DescriptorLimit.connections(nil, wanted: 7, turnedAway: 8)

        #expect(connections.served == 7 && connections.turnedAway == 8)
    }
}
