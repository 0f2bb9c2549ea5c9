import Model
import Rules
import Testing

struct DeviceTokenTests {
    private static let invalid = ModelError.invalid([AttributeError("Device token", "is invalid")])

    @Test(arguments: [
        "a", "~", "!", "a b", "435345", String(repeating: "x", count: 255),
        "7E2F6E1C-2B0D-4B7C-9B8A-3F5D1E6A7C90",
    ])
    func `is printable ASCII of up to 255 characters`(text: String) throws {
        #expect(try DeviceToken(text).text == text)
        #expect(try DeviceToken(.text(text)) == DeviceToken(text))
    }

    @Test func `has no spaces around it, which no header can have`() throws {
        #expect(try DeviceToken("  a b ") == DeviceToken("a b"))
        #expect(try DeviceToken(.text(" a")).text == "a")
    }

    @Test(arguments: [
        "", " ", "   ", "a\tb", "a\n", "\0", "\u{7F}", "é", "a\u{A0}b",
        String(repeating: "x", count: 256),
    ])
    func `is nothing else`(text: String) {
        #expect(throws: Self.invalid) { try DeviceToken(text) }
        #expect(throws: Self.invalid) {
            try DeviceToken(.text(text))
        }
    }

    @Test func `is made from a parameter that has a text`() throws {
        #expect(try DeviceToken(.number("435345")).text == "435345")
        #expect(try DeviceToken(.boolean(true)).text == "true")
        for input in [Input.absent, .null, .list([])] {
            #expect(throws: Self.invalid) {
                try DeviceToken(input)
            }
        }
    }

    @Test(arguments: [
        "(null)", "(NULL)", "null", "Nil", "undefined", "None", "unknown", "[object Object]", "0",
        "000000000000000", "00:00:00:00:00:00", "00000000000000000000000000000000",
        "00000000-0000-0000-0000-000000000000", "FFFFFFFF-ffff-FFFF-ffff-FFFFFFFFFFFF",
        "11111111-1111-1111-1111-111111111111", "9774d56d682e549c", "9774D56D682E549C",
        "02:00:00:00:00:00", "(null) ", " undefined", "ffffffffffffffffffffffffffffffff",
    ])
    func `is shared if programs send it without an identifier`(text: String) throws {
        #expect(try DeviceToken(text).isShared)
    }

    @Test(arguments: [
        "my-device", "nullable", "null1", "1", "11111", "-", "10",
        "00000000-0000-0000-0000-000000000001", "11111111-1111-4111-1111-111111111111",
        "9774d56d682e549d", "02:00:00:00:00:01", "zzzzzzzz-zzzz-zzzz-zzzz-zzzzzzzzzzzz",
    ])
    func `is not shared otherwise`(text: String) throws {
        #expect(try !DeviceToken(text).isShared)
    }

    @Test(arguments: [
        ("7E2F6E1C-2B0D-4B7C-9B8A-3F5D1E6A7C90", true),
        ("7e2f6e1c-2b0d-4b7c-9b8a-3f5d1e6a7c90", true),
        ("00000000-0000-0000-0000-000000000000", true),
        ("7e2f6e1c2b0d4b7c9b8a3f5d1e6a7c90", false),
        ("7e2f6e1c-2b0d-4b7c-9b8a-3f5d1e6a7c9", false),
        ("7e2f6e1c-2b0d-4b7c-9b8a-3f5d1e6a7c900", false),
        ("7e2f6e1c-2b0d-4b7c-9b8a-3f5d1e6a7c9g", false),
        ("7e2f6e1c-2b0d-4b7c-9b8a03f5d1e6a7c90", false),
        ("7e2f6e1-c2b0d-4b7c-9b8a-3f5d1e6a7c90", false),
        ("{7e2f6e1c-2b0d-4b7c-9b8a-3f5d1e6a7c9}", false),
        ("------------------------------------", false),
    ])
    func `knows a UUID`(text: String, isUUID: Bool) throws {
        #expect(try DeviceToken(text).isUUID == isUUID)
    }
}
