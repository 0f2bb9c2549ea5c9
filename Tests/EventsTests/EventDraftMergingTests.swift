import Events
import Rules
import Testing
import Time

struct EventDraftMergingTests {
    private let current = EventAttributes(
        name: "Picnic",
        address: "Dolores Park",
        coordinate: Coordinate(latitude: 37.759705, longitude: -122.427103),
        startedAt: Timestamp(milliseconds: 1_379_289_600_000),
        endedAt: Timestamp(milliseconds: 1_379_376_000_000)
    )

    @Test func `keeps all that is absent`() throws {
        #expect(try EventDraft().merged(onto: current) == current)
    }

    @Test func `keeps what is unset`() throws {
        var current = current
        current.address = nil
        current.endedAt = nil

        #expect(try EventDraft().merged(onto: current) == current)
    }

    @Test func `changes each attribute by itself`() throws {
        func merged(_ change: (inout EventDraft) -> Void) throws -> EventAttributes {
            var draft = EventDraft()
            change(&draft)
            return try draft.merged(onto: current)
        }
        func expected(_ change: (inout EventAttributes) -> Void) -> EventAttributes {
            var attributes = current
            change(&attributes)
            return attributes
        }
        let time = Timestamp(milliseconds: 0)

        #expect(try merged { $0[.name] = .text("Brunch") } == expected { $0.name = "Brunch" })
        #expect(try merged { $0[.address] = .text("") } == expected { $0.address = "" })
        #expect(
            try merged { $0[.latitude] = .number("1") }
                == expected { $0.coordinate = Coordinate(latitude: 1, longitude: -122.427103) }
        )
        #expect(
            try merged { $0[.longitude] = .text("2.5") }
                == expected { $0.coordinate = Coordinate(latitude: 37.759705, longitude: 2.5) }
        )
        #expect(
            try merged { $0[.startedAt] = .text("1970-01-01") } == expected { $0.startedAt = time }
        )
        #expect(try merged { $0[.endedAt] = .text("1970-01-01") } == expected { $0.endedAt = time })
    }

    @Test func `clears what is optional and null`() throws {
        var expected = current
        expected.address = nil
        expected.endedAt = nil

        #expect(try EventDraft(address: .null, endedAt: .null).merged(onto: current) == expected)
    }

    @Test func `clears an end that is blank`() throws {
        var expected = current
        expected.endedAt = nil

        #expect(try EventDraft(endedAt: .text(" ")).merged(onto: current) == expected)
    }

    @Test func `does not clear what is required`() {
        for blank in [Input.null, .text("")] {
            let draft = EventDraft(name: blank, latitude: blank, longitude: blank, startedAt: blank)

            #expect(
                throws: ModelError.invalid([
                    "Lat can't be blank", "Lon can't be blank", "Name can't be blank",
                    "Started at can't be blank",
                ])
            ) { try draft.merged(onto: current) }
        }
    }

    @Test func `names what is wrong and nothing else`() {
        let draft = EventDraft(
            name: .text("Brunch"),
            latitude: .text("12abc"),
            endedAt: .text("soon")
        )

        #expect(
            throws: ModelError.invalid([
                "Lat is not a number", "Ended at is not a time such as 2030-09-16T12:00:00Z",
            ])
        ) { try draft.merged(onto: current) }
    }
}
