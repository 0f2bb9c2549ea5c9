import Rules
import Testing

@testable import Events

@Suite struct EventDetailRulesTests {
    private func value(_ column: EventColumn, _ input: Input) -> String? {
        try? column.rule.check(input)
    }

    @Test(arguments: WebAddresses.valid)
    func `accepts absolute URLs as they are`(text: String) {
        #expect(value(.url, .text(text)) == text)
        #expect(value(.imageURL, .text(text)) == text)
    }

    @Test(arguments: WebAddresses.invalid)
    func `rejects other texts as URLs`(text: String) {
        #expect(value(.url, .text(text)) == nil)
        #expect(value(.imageURL, .text(text)) == nil)
    }

    @Test func `has a table of 200 URLs`() {
        #expect(Set(WebAddresses.valid + WebAddresses.invalid).count == 200)
    }

    @Test(
        arguments: [
            ("music", "music"), ("Live-Music", "live-music"), ("a", "a"), ("24h-run", "24h-run"),
            (String(repeating: "a", count: 40), String(repeating: "a", count: 40)),
            (String(repeating: "a", count: 41), nil), ("-a", nil), ("a-", nil), ("a--b", nil),
            ("a b", nil), ("a_b", nil), ("é", nil), ("a\u{301}", nil), ("K", "k"),
            ("\u{212A}", nil),
            ("", nil),
        ]
    )
    func `accepts words with hyphens as a category`(text: String, category: String?) {
        #expect(value(.category, .text(text)) == category)
    }

    @Test func `normalizes tags of lists and of texts`() {
        #expect(value(.tags, .list([.text(" #Jazz"), .text("Live  music")])) == "jazz,live music")
        #expect(value(.tags, .text("Jazz, #Live  music,,JAZZ")) == "jazz,live music")
        #expect(value(.tags, .list([.number("5"), .boolean(true)])) == "5,true")
        #expect(value(.tags, .list([])) == "")
        #expect(value(.tags, .list([.list([])])) == nil)
        #expect(value(.tags, .list([.text("a,b")])) == nil)
        #expect(value(.tags, .list((0..<11).map { .text("\($0)") })) == nil)
    }

    @Test func `accepts objects without repeated keys as data`() {
        let long = #"{"a":"\#(String(repeating: "a", count: 4088))"}"#
        #expect(value(.data, .object(json: "{}", repeatedKey: nil)) == "{}")
        #expect(value(.data, .object(json: long, repeatedKey: nil)) == long)
        #expect(value(.data, .object(json: long + " ", repeatedKey: nil)) == nil)
        #expect(value(.data, .object(json: "{}", repeatedKey: "a")) == nil)
        #expect(value(.data, .text("{}")) == nil)
        #expect(value(.data, .list([])) == nil)
    }

    @Test func `accepts true for all day only with dates`() {
        for input in [Input.boolean(true), .text("true"), .text("1"), .number("1")] {
            #expect(value(.allDay, input) == "true")
            #expect((try? Rule.allDay(hasDates: false).check(input)) == nil)
        }
        for input in [Input.boolean(false), .text("FALSE"), .number("0")] {
            #expect(value(.allDay, input) == "")
            #expect((try? Rule.allDay(hasDates: false).check(input)) == "")
        }
        for input in [Input.text("yes"), .number("2"), .list([]), .text("2026-06-02")] {
            #expect(value(.allDay, input) == nil)
        }
    }

    @Test func `names attributes as errors do`() {
        #expect(
            EventColumn.details.map(\.title) == [
                "Description", "Url", "Image url", "Category", "Tags", "Status", "All day",
                "Series id", "Visibility", "Data",
            ]
        )
    }
}
