import Events
import Rules
import Testing

/// The rules for numbers, seen through the coordinates of an event.
struct NumberInputTests {
    @Test(arguments: [
        ("0", 0.0), ("-0", -0.0), ("1.5", 1.5), ("-1.5", -1.5), ("+1.5", 1.5), ("007", 7),
        ("1e-05", 1e-05), ("1E1", 10), ("2.5e+1", 25), ("-1.0e0", -1), ("90", 90), ("-90", -90),
        ("37.759705", 37.759705), ("1e-400", 0), ("0e999999999999999999999", 0),
        ("0.00000000000000000000000000000000000001", 1e-38),
    ])
    func `reads decimal notation, as a number or as a text`(text: String, number: Double) throws {
        for input in [Input.text(text), .number(text)] {
            var draft = EventDraft.valid
            draft[.latitude] = input
            draft[.longitude] = input

            let coordinate = try draft.attributes().coordinate

            #expect(coordinate.latitude.bitPattern == number.bitPattern)
            #expect(coordinate.longitude.bitPattern == number.bitPattern)
        }
    }

    @Test(arguments: [
        "abc", "12abc", "NaN", "nan", "inf", "Infinity", "-inf", "0x10", "0x1p3", "1_000", "1,5",
        ".5", "5.", "-.5", "1.e5", "1.5e", "1.5e+", "e5", "+", "-", "--1", "+-1", "1-", "1 ", " 1",
        "1\n", "1 2", "1.2.3", "1e5.5", "1e400", "-1e400", "１", "\u{0661}", "1\0", "½", "1f", "1d",
    ])
    func `refuses any other text`(text: String) {
        expect(["Lat is not a number", "Lon is not a number"], of: .text(text))
    }

    @Test(arguments: [Input.boolean(true), .boolean(false), .list([]), .number("1e400")])
    func `refuses what is no number`(input: Input) {
        expect(["Lat is not a number", "Lon is not a number"], of: input)
    }

    @Test(arguments: [
        ("90.00000000000001", ["Lat must be less than or equal to 90"]),
        ("-90.00000000000001", ["Lat must be greater than or equal to -90"]),
        ("180", ["Lat must be less than or equal to 90"]),
        (
            "180.00000000000003",
            ["Lat must be less than or equal to 90", "Lon must be less than or equal to 180"]
        ),
        (
            "-1e308",
            [
                "Lat must be greater than or equal to -90",
                "Lon must be greater than or equal to -180",
            ]
        ),
    ])
    func `refuses what is off the sphere`(number: String, messages: [String]) {
        expect(messages, of: .number(number))
    }

    private func expect(_ messages: [String], of input: Input) {
        var draft = EventDraft.valid
        draft[.latitude] = input
        draft[.longitude] = input

        #expect(throws: ModelError.invalid(messages)) { try draft.attributes() }
    }
}
