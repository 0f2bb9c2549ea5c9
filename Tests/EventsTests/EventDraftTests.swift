import Events
import Rules
import Testing
import Time

struct EventDraftTests {
    @Test func `makes the attributes that were sent`() throws {
        let draft = EventDraft(
            name: .text("Picnic"),
            address: .text("Dolores Park"),
            latitude: .number("37.759705"),
            longitude: .number("-122.427103"),
            startedAt: .text("2013-09-16T00:00:00.000Z"),
            endedAt: .text("2013-09-17T00:00:00.000Z")
        )

        #expect(
            try draft.attributes()
                == EventAttributes(
                    name: "Picnic",
                    address: "Dolores Park",
                    coordinate: Coordinate(latitude: 37.759705, longitude: -122.427103),
                    startedAt: Timestamp(milliseconds: 1_379_289_600_000),
                    endedAt: Timestamp(milliseconds: 1_379_376_000_000)
                )
        )
    }

    @Test func `leaves what is optional unset if it is absent or null`() throws {
        for input in [Input.absent, .null] {
            var draft = EventDraft.valid
            draft[.address] = input
            draft[.endedAt] = input

            let attributes = try draft.attributes()

            #expect(attributes.address == nil)
            #expect(attributes.endedAt == nil)
        }
    }

    @Test func `names everything that is wrong, in order and once for each attribute`() {
        #expect(
            throws: ModelError.invalid([
                "Lat can't be blank", "Lon can't be blank", "Name can't be blank",
                "Started at can't be blank",
            ])
        ) { try EventDraft().attributes() }

        let wrong = EventDraft(
            name: .list([]),
            address: .list([]),
            latitude: .list([]),
            longitude: .list([]),
            startedAt: .list([]),
            endedAt: .list([])
        )
        #expect(
            throws: ModelError.invalid([
                "Lat is not a number", "Lon is not a number", "Name is invalid",
                "Started at is not a time such as 2030-09-16T12:00:00Z", "Address is invalid",
                "Ended at is not a time such as 2030-09-16T12:00:00Z",
            ])
        ) { try wrong.attributes() }
    }

    @Test(arguments: [
        Input.absent, .null, .text(""), .text(" "), .text(" \t\r\n\u{0B}\u{0C}"),
        .text("\u{00A0}\u{2003}\u{3000}\u{2028}\u{0085}"),
    ])
    func `takes a required attribute of nothing or white space for blank`(blank: Input) {
        let draft = EventDraft(name: blank, latitude: blank, longitude: blank, startedAt: blank)

        #expect(
            throws: ModelError.invalid([
                "Lat can't be blank", "Lon can't be blank", "Name can't be blank",
                "Started at can't be blank",
            ])
        ) { try draft.attributes() }
    }

    @Test(arguments: [
        (Input.text("42"), "42"), (.number("42"), "42"), (.number("1.50e3"), "1.50e3"),
        (.boolean(true), "true"), (.boolean(false), "false"), (.text("  Picnic "), "  Picnic "),
        (.text("\u{200B}"), "\u{200B}"), (.text("👩‍👩‍👧‍👦"), "👩‍👩‍👧‍👦"),
    ])
    func `keeps a name as it was sent`(input: Input, name: String) throws {
        var draft = EventDraft.valid
        draft[.name] = input

        #expect(try draft.attributes().name == name)
    }

    @Test func `keeps a blank address as it was sent`() throws {
        for address in ["", "   ", "\u{3000}"] {
            var draft = EventDraft.valid
            draft[.address] = .text(address)

            #expect(try draft.attributes().address == address)
        }
    }

    @Test func `limits names to 255 characters and addresses to 1,000`() throws {
        var draft = EventDraft.valid
        for character in ["a", "é", "😀", "\u{301}"] {
            draft[.name] = .text(String(repeating: character, count: 255))
            draft[.address] = .text(String(repeating: character, count: 1000))

            let attributes = try draft.attributes()
            #expect(attributes.name.unicodeScalars.count == 255)
            #expect(attributes.address?.unicodeScalars.count == 1000)

            draft[.name] = .text(String(repeating: character, count: 256))
            draft[.address] = .text(String(repeating: character, count: 1001))
            #expect(
                throws: ModelError.invalid([
                    "Name is too long (maximum is 255 characters)",
                    "Address is too long (maximum is 1000 characters)",
                ])
            ) { try draft.attributes() }
        }
    }

    @Test func `refuses U+0000 in a text`() {
        var draft = EventDraft.valid
        draft[.name] = .text("Pic\0nic")
        draft[.address] = .text("\0")
        draft[.startedAt] = .text("2013-09-16\0")

        #expect(
            throws: ModelError.invalid([
                "Name is invalid", "Started at is not a time such as 2030-09-16T12:00:00Z",
                "Address is invalid",
            ])
        ) { try draft.attributes() }
    }

    @Test(arguments: [
        Input.number("20130916"), .boolean(true), .list([]), .text("tomorrow"),
        .text("2013-02-30T00:00:00Z"), .text(" 2013-09-16"),
    ])
    func `refuses a time that can't be read`(input: Input) {
        var draft = EventDraft.valid
        draft[.startedAt] = input
        draft[.endedAt] = input

        #expect(
            throws: ModelError.invalid([
                "Started at is not a time such as 2030-09-16T12:00:00Z",
                "Ended at is not a time such as 2030-09-16T12:00:00Z",
            ])
        ) { try draft.attributes() }
    }

    @Test func `has no end if the end is blank`() throws {
        for end in ["", "  "] {
            var draft = EventDraft.valid
            draft[.endedAt] = .text(end)

            #expect(try draft.attributes().endedAt == nil)
        }
    }

    @Test func `accepts an end before the start`() throws {
        var draft = EventDraft.valid
        draft[.endedAt] = .text("1999-01-01")

        let attributes = try draft.attributes()

        #expect(attributes.endedAt == Timestamp(milliseconds: 915_148_800_000))
    }
}

extension EventDraft {
    /// A draft that breaks no rule, for tests that change one thing.
    static var valid: EventDraft {
        EventDraft(
            name: .text("Picnic"),
            latitude: .number("37.759705"),
            longitude: .number("-122.427103"),
            startedAt: .text("2013-09-16T00:00:00.000Z")
        )
    }
}
