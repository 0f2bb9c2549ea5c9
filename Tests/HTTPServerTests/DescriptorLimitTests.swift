import Testing

@testable import HTTPServer

@Suite struct DescriptorLimitTests {
    @Test(
        arguments: [
            (20_000, 2, 10_000, 10_000, 1024), (11_000, 2, 10_000, 9904, 1024),
            (1024, 2, 10_000, 833, 119), (1024, 64, 10_000, 616, 88), (64, 2, 10_000, 14, 2),
            (40, 2, 10_000, 3, 1), (20_000, 2, 5, 5, 1024), (40, 2, 1, 1, 1),
        ]
    )
    func `leaves descriptors for the rest`(
        descriptors: Int,
        loops: Int,
        wanted: Int,
        served: Int,
        turnedAway: Int
    ) throws {
        let connections = try DescriptorLimit.connections(
            descriptors,
            loops: loops,
            wanted: wanted,
            turnedAway: 1024
        )

        #expect(connections.served == served)
        #expect(connections.turnedAway == turnedAway)
    }

    @Test(arguments: [(39, 2, 40), (0, 2, 40), (1024, 256, 1056)])
    func `serves nobody with too few`(descriptors: Int, loops: Int, fewest: Int) {
        let error = #expect(throws: ServerError.self) {
            try DescriptorLimit.connections(descriptors, loops: loops, wanted: 7, turnedAway: 8)
        }

        #expect(
            error?.description == "The limit of \(descriptors) descriptors is too low: "
                + "raise LimitNOFILE, or ulimit -n, to \(fewest) or more."
        )
    }

    @Test func `knows no limit where there is none`() throws {
        let connections = try DescriptorLimit.connections(
            nil,
            loops: 2,
            wanted: 7,
            turnedAway: 8
        )

        #expect(connections.served == 7 && connections.turnedAway == 8)
    }
}
