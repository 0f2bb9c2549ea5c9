import Foundation
import Testing

@testable import HumonClient

/// The app's own objects.
@Suite struct EventDataTests {
    private struct Ticket: Codable, Equatable {
        var price: Decimal
        var seats: [Int]
        var note: String?
        var isOpen: Bool
    }

    private static func decode(_ json: String) throws -> EventData {
        try JSONDecoder().decode(EventData.self, from: Data(json.utf8))
    }

    private static func text(_ data: EventData) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(data), as: UTF8.self)
    }

    @Test func `returns the value that was given`() throws {
        let ticket = Ticket(price: Decimal(string: "5.25") ?? 0, seats: [1, 2], isOpen: true)

        let data = try EventData(ticket)

        #expect(try data.decode(Ticket.self) == ticket)
        #expect(try Self.text(data) == #"{"isOpen":true,"price":5.25,"seats":[1,2]}"#)
        #expect(throws: DecodingError.self) { try data.decode([String: Int].self) }
    }

    @Test(arguments: [
        ("0.1", "0.1"), ("12345678901234567890", "12345678901234567890"), ("5.00", "5"),
        ("-0.000001", "-0.000001"), ("1e5", "100000"), ("0", "0"),
        ("12345678901234567890.12345678", "12345678901234567890.12345678"),
    ])
    func `rounds no number`(number: String, written: String) throws {
        let data = try Self.decode(#"{"x":\#(number)}"#)

        #expect(try data.decode([String: Decimal].self)["x"] == Decimal(string: number))
        #expect(try Self.text(data) == #"{"x":\#(written)}"#)
        #expect(try Self.text(try EventData(["x": 0.1])) == #"{"x":0.1}"#)
    }

    @Test(arguments: [
        "{}", #"{"a":null}"#, #"{"a":true,"b":false,"c":1,"d":0}"#, #"{"":["1",1,[],{},null]}"#,
        #"{"a":{"b":{"c":[[[1]]]}}}"#, #"{"é😀":"\u0001/\"\\"}"#,
    ])
    func `keeps every kind of value`(json: String) throws {
        #expect(try Self.text(try Self.decode(json)) == json)
    }

    @Test(arguments: ["1e300", "-1e400", "1e-400", String(repeating: "9", count: 200)])
    func `reads events beside a number that Foundation can't read`(number: String) throws {
        let event = DecodingTests.least.dropLast() + #","data":{"a":1,"x":\#(number)}}"#

        let page: EventPage = try DecodingTests.decode(#"{"events":[\#(event)]}"#)

        #expect(try page.events.first?.data?.decode([String: Double?].self)["a"] == 1)
    }
}
